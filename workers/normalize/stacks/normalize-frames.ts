/**
 * Reads a stack trace: outermost caller first, crash site last. The frames are those of the
 * payload; grouping reads the same objects and decides which frames are the user's own code.
 */
import { framesPerStackMax } from '#schemas/limits.ts'
import { fieldCharactersMax, smallBounds, sourceLinesMax, varsBounds } from '../field-limits.ts'
import { type ReadFrame, SharedFrame } from '../known-frames/shared-frame.ts'
import { keepStackText, sharedStack } from '../known-frames/shared-stacks.ts'
import { readPlatform } from '../normalize-names.ts'
import { orAbsent, type StoredFrame, type StoredStack } from '../stored-event.ts'
import { demangle } from '../symbols/demangle.ts'
import { boundObject, type StoredData } from '../values/bound-value.ts'
import { cutText } from '../values/clean-text.ts'
import type { Notes } from '../values/notes.ts'
import { addressText } from '../values/read-address.ts'
import {
  type JsonObject,
  readInteger,
  readObject,
  readPosition,
  readText,
} from '../values/read-value.ts'

export interface StackContext {
  readonly platform: string
  readonly notes: Notes
}

/** Frames kept at the root of a stack that is too deep; the others are the nearest to the crash. */
export const rootFramesKept = 10
/** A client that claims to have left out more is not believed. */
const omittedFramesMax = 1e9

/** Undefined for a stack without frames. */
export function readStack(value: unknown, context: StackContext): StoredStack | undefined {
  if (value === undefined || value === null) return undefined
  const stack = readObject(value)
  const { frames: list, registers, lang, frames_omitted } = stack ?? { frames: value }
  if (!Array.isArray(list)) {
    if (list !== undefined && list !== null)
      context.notes.add('stacktrace.frames', 'must be a list')
    return undefined
  }
  const sent = list.map(readObject).filter((frame) => frame !== undefined)
  if (sent.length === 0) return undefined

  const cutTo = sent.length - (framesPerStackMax - rootFramesKept)
  const kept =
    sent.length <= framesPerStackMax
      ? sent
      : [...sent.slice(0, rootFramesKept), ...sent.slice(cutTo)]
  if (kept !== sent) {
    context.notes.add('stacktrace.frames', `cut to ${framesPerStackMax} frames`)
  }
  return {
    frames: readFrames(kept, context),
    frames_omitted: omittedFrames(frames_omitted, kept === sent ? undefined : cutTo),
    registers: boundObject(registers, smallBounds, {
      field: 'stacktrace.registers',
      notes: context.notes,
    }),
    lang: symbolText(lang, 'stacktrace.lang', context.notes),
  }
}

/**
 * What was cut here, and what the client had left out before.
 * @param cutTo the first frame after the cut; undefined without one
 */
function omittedFrames(sent: unknown, cutTo: number | undefined): StoredStack['frames_omitted'] {
  const [from, to] = Array.isArray(sent) ? sent.map(readInteger) : []
  const isRange = from !== undefined && to !== undefined && 0 <= from && from < to
  const byClient = isRange && to <= omittedFramesMax ? to - from : 0
  if (cutTo !== undefined) return [rootFramesKept, cutTo + byClient]
  return byClient === 0 ? undefined : [from!, to!]
}

function readFrames(
  sent: readonly (JsonObject | SharedFrame)[],
  context: StackContext,
): readonly StoredFrame[] {
  const { platform, notes } = context
  const shared = sent.filter((frame) => frame instanceof SharedFrame)
  if (shared.length === 0) return sent.map((frame) => readFrame(frame as JsonObject, context))
  const read = sent.map((frame): ReadFrame => {
    if (!(frame instanceof SharedFrame)) {
      const own = readFrame(frame, context)
      return { frame: own, text: JSON.stringify(own), notes: [] }
    }
    const one = frame.read(platform, readFrame)
    for (const { field, rule } of one.notes) notes.add(field, rule)
    return one
  })
  if (shared.length === sent.length) return sharedStack(platform, shared, read)
  const frames = read.map(({ frame }) => frame)
  keepStackText(frames, `[${read.map(({ text }) => text).join()}]`)
  return frames
}

function readFrame(frame: JsonObject, { platform, notes }: StackContext): StoredFrame {
  // Notes are kept in the order in which the texts are read.
  const sentName = frame['function']
  const name = typeof sentName === 'string' ? demangle(sentName) : sentName
  const functionName = realName(symbolText(name, 'frame.function', notes))
  const { absPath, filename } = readPaths(frame, notes)
  const module = symbolText(frame['module'], 'frame.module', notes)
  const packageName = symbolText(frame['package'], 'frame.package', notes)
  const ownPlatform = readPlatform(frame['platform'])
  const { in_app } = frame
  return {
    function: functionName,
    raw_function: symbolText(
      frame['raw_function'] ?? (name === sentName ? undefined : sentName),
      'frame.raw_function',
      notes,
    ),
    module,
    filename,
    abs_path: absPath,
    package: packageName,
    platform: ownPlatform === platform ? undefined : ownPlatform,
    lineno: readPosition(frame['lineno']) || undefined,
    colno: readPosition(frame['colno']) || undefined,
    in_app: typeof in_app === 'boolean' ? in_app : undefined,
    context_line: orAbsent(sourceLine(frame['context_line'])),
    pre_context: sourceLines(frame['pre_context'], 'before'),
    post_context: sourceLines(frame['post_context'], 'after'),
    vars: readVars(frame['vars'], notes),
    instruction_addr: orAbsent(addressText(frame['instruction_addr'])),
    symbol_addr: orAbsent(addressText(frame['symbol_addr'])),
    image_addr: orAbsent(addressText(frame['image_addr'])),
    addr_mode: symbolText(frame['addr_mode'], 'frame.addr_mode', notes),
    symbol: symbolText(frame['symbol'], 'frame.symbol', notes),
    data: readRare(frame['data'], 'frame.data', notes),
    lock: readRare(frame['lock'], 'frame.lock', notes),
    trust: symbolText(frame['trust'], 'frame.trust', notes),
    stack_start: frame['stack_start'] === true ? true : undefined,
  }
}

/** Clients write a placeholder when they do not know the function. */
function realName(name: string | undefined): string | undefined {
  return name === '?' || name === '<unknown>' || name === '<redacted>' ? undefined : name
}

interface FramePaths {
  readonly absPath: string | undefined
  readonly filename: string | undefined
}

const urlPath = /^(?!data:)[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i

/** A client that knows only one path sends it as `filename`; it is kept as the full path too. */
function readPaths(frame: JsonObject, notes: Notes): FramePaths {
  const fullPath = symbolText(frame['abs_path'], 'frame.abs_path', notes)
  const shortPath = symbolText(frame['filename'], 'frame.filename', notes)
  if (fullPath !== undefined && shortPath !== undefined) {
    return { absPath: fullPath, filename: shortPath }
  }
  const absPath = fullPath ?? shortPath
  const path = absPath?.includes('://') ? urlPath.exec(absPath)?.[1] : undefined
  return { absPath, filename: path === undefined || path === '' ? absPath : path }
}

function symbolText(value: unknown, field: string, notes: Notes): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return orAbsent(readText(value, { field, charactersMax: fieldCharactersMax.symbol, notes }))
}

/** Source keeps its indentation. */
function sourceLine(value: unknown): string {
  return typeof value === 'string' ? cutText(value.trimEnd(), fieldCharactersMax.sourceLine) : ''
}

function sourceLines(value: unknown, side: 'before' | 'after'): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  // The lines next to the failing line are the most useful.
  const nearest = side === 'before' ? value.slice(-sourceLinesMax) : value.slice(0, sourceLinesMax)
  return nearest.map(sourceLine)
}

function readRare(value: unknown, field: string, notes: Notes): StoredData | undefined {
  return value === undefined ? undefined : boundObject(value, smallBounds, { field, notes })
}

/** Some clients send the variables as a list; their indexes become the names. */
function readVars(value: unknown, notes: Notes): StoredData | undefined {
  if (value === undefined || value === null) return undefined
  const vars = Array.isArray(value) ? Object.fromEntries(value.entries()) : value
  return boundObject(vars, varsBounds, { field: 'frame.vars', notes })
}
