/**
 * A stack trace: outermost caller first, crash site last, each frame with the same few typed fields for
 * grouping and the canonical shape for the payload. Which frames are the user's own is grouping's to say.
 */
import { framesPerStackMax } from '#schemas/limits.ts'
import { type CanonicalFrame, type CanonicalStack, orAbsent } from '../canonical-event.ts'
import type { Frame } from '../event.ts'
import { fieldCharactersMax, smallBounds, sourceLinesMax, varsBounds } from '../field-limits.ts'
import { readPlatform } from '../normalize-platform.ts'
import { boundObject } from '../values/bound-value.ts'
import { cutText } from '../values/clean-text.ts'
import type { Notes } from '../values/notes.ts'
import { addressText } from '../values/read-address.ts'
import { type JsonObject, readObject, readPosition, readText } from '../values/read-value.ts'

export interface Stack {
  readonly frames: readonly Frame[]
  readonly canonical: CanonicalStack
}

export interface StackContext {
  readonly platform: string
  readonly notes: Notes
}

/** Frames kept at the root of a stack that is too deep; the rest of the room is for the crash end. */
export const rootFramesKept = 10

/** Undefined for a stack without frames: it says nothing. */
export function normalizeStack(value: unknown, context: StackContext): Stack | undefined {
  if (value === undefined || value === null) return undefined
  const stack = readObject(value)
  const { frames: list, registers, lang } = stack ?? { frames: value }
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
  const read = kept.map((frame) => readFrame(frame, context))
  return {
    frames: read.map((frame) => frame.typed),
    canonical: {
      frames: read.map((frame) => frame.canonical),
      frames_omitted: kept === sent ? undefined : [rootFramesKept, cutTo],
      registers: boundObject(registers, smallBounds, {
        field: 'stacktrace.registers',
        notes: context.notes,
      }),
      lang: orAbsent(symbolText(lang, 'stacktrace.lang', context.notes)),
    },
  }
}

interface ReadFrame {
  readonly typed: Frame
  readonly canonical: CanonicalFrame
}

function readFrame(frame: JsonObject, { platform, notes }: StackContext): ReadFrame {
  const { function: name, raw_function, module, package: packageName, in_app, context_line } = frame
  const functionName = realName(symbolText(name, 'frame.function', notes))
  const { absPath, filename } = readPaths(frame, notes)
  const ownPlatform = readPlatform(frame['platform']) ?? ''
  const typed: Frame = {
    function: functionName,
    module: symbolText(module, 'frame.module', notes),
    filename,
    absPath,
    package: symbolText(packageName, 'frame.package', notes),
    contextLine: sourceLine(context_line),
    lineno: readPosition(frame['lineno']),
    colno: readPosition(frame['colno']),
    inApp: typeof in_app === 'boolean' ? in_app : undefined,
    platform: ownPlatform === platform ? '' : ownPlatform,
    instructionAddr: addressText(frame['instruction_addr']),
  }
  const canonical: CanonicalFrame = {
    function: orAbsent(typed.function),
    raw_function: orAbsent(symbolText(raw_function, 'frame.raw_function', notes)),
    module: orAbsent(typed.module),
    filename: orAbsent(filename),
    abs_path: orAbsent(absPath),
    package: orAbsent(typed.package),
    platform: orAbsent(typed.platform),
    lineno: typed.lineno === 0 ? undefined : typed.lineno,
    colno: typed.colno === 0 ? undefined : typed.colno,
    in_app: typed.inApp,
    context_line: orAbsent(typed.contextLine),
    pre_context: sourceLines(frame['pre_context'], 'before'),
    post_context: sourceLines(frame['post_context'], 'after'),
    vars: readVars(frame['vars'], notes),
    instruction_addr: orAbsent(typed.instructionAddr),
    symbol_addr: orAbsent(addressText(frame['symbol_addr'])),
    image_addr: orAbsent(addressText(frame['image_addr'])),
    addr_mode: orAbsent(symbolText(frame['addr_mode'], 'frame.addr_mode', notes)),
    symbol: orAbsent(symbolText(frame['symbol'], 'frame.symbol', notes)),
  }
  return { typed, canonical }
}

/** What clients write when they do not know the function. */
function realName(name: string): string {
  return name === '?' || name === '<unknown>' || name === '<redacted>' ? '' : name
}

const urlPath = /^(?!data:)[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i

/** A client that knows one path only sends it as `filename`, so that one moves to where full paths belong. */
function readPaths(frame: JsonObject, notes: Notes): { absPath: string; filename: string } {
  const fullPath = symbolText(frame['abs_path'], 'frame.abs_path', notes)
  const shortPath = symbolText(frame['filename'], 'frame.filename', notes)
  const absPath = fullPath === '' ? shortPath : fullPath
  if (fullPath !== '' && shortPath !== '') return { absPath, filename: shortPath }
  const path = absPath.includes('://') ? urlPath.exec(absPath)?.[1] : undefined
  return { absPath, filename: path === undefined || path === '' ? absPath : path }
}

function symbolText(value: unknown, field: string, notes: Notes): string {
  if (value === undefined || value === null || value === '') return ''
  return readText(value, { field, charactersMax: fieldCharactersMax.symbol, notes })
}

/** Source keeps its indentation. */
function sourceLine(value: unknown): string {
  return typeof value === 'string' ? cutText(value.trimEnd(), fieldCharactersMax.sourceLine) : ''
}

function sourceLines(value: unknown, side: 'before' | 'after'): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  // The lines nearest to the one that failed say most.
  const nearest = side === 'before' ? value.slice(-sourceLinesMax) : value.slice(0, sourceLinesMax)
  return nearest.map(sourceLine)
}

/** Some clients send the variables as a list; its indexes are their names then. */
function readVars(value: unknown, notes: Notes): CanonicalFrame['vars'] {
  if (value === undefined || value === null) return undefined
  const vars = Array.isArray(value) ? Object.fromEntries(value.entries()) : value
  return boundObject(vars, varsBounds, { field: 'frame.vars', notes })
}
