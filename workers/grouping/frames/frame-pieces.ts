/**
 * Names a frame for grouping: the place (module, else cleaned file) and the action (cleaned
 * function, else the source line, else the offset in its image). Line, column, address and absolute
 * path are never part of it. Part of g1: a change of any hash must be meant.
 */
import type { Frame } from '../../normalize/event.ts'
import { type Piece, piece } from '../pieces.ts'
import { nameRule, type RuledFrames } from '../rules/ruled-frame.ts'
import { isMain } from './base-frames.ts'
import { classOfMethod } from './clean-csharp-function.ts'
import { cleanFile } from './clean-file.ts'
import { cleanFunction } from './clean-function.ts'
import { cleanModule, isLambdaClass, kotlinLambda, methodOfStateMachine } from './clean-module.ts'
import { ignoredBecause } from './ignored-frames.ts'
import { isLibraryScript, isStandardPython, libraryRule } from './in-app.ts'
import { hasUnnamedOrigin, hasUrlOrigin, looksMinified } from './minified.ts'
import type { ImageLookup } from './native-frame.ts'
import { bareNativeName } from './native-name.ts'
import { type PlatformFamily, platformFamily } from './platform-family.ts'

export interface FrameName {
  readonly placeKind: 'module' | 'file'
  readonly place: string
  readonly actionKind: 'function' | 'context' | 'address'
  readonly action: string
  /** Cleaned file of a script; a minified stack is grouped by it instead of the module. */
  readonly file: string
  readonly minified: boolean
}

export interface FrameContext {
  readonly platform: string
  readonly images: ImageLookup
  /** What rules of the project say about frames. */
  readonly ruled: RuledFrames | undefined
}

const contextUnitsMax = 120
const contextPlatforms = new Set<PlatformFamily>(['javascript', 'python', 'php', 'ruby'])
const ignoredJavaScript = new Set(['eval', 'eval code', 'native code'])

export function familyOf(frame: Frame, context: FrameContext): PlatformFamily {
  return platformFamily(frame.platform ?? context.platform)
}

/**
 * Uses the client's `in_app`, or the lists when it is absent, or when the client says it of frames
 * that it cannot tell apart.
 */
export function isInApp(
  family: PlatformFamily,
  frame: Frame,
  { images }: Pick<FrameContext, 'images'>,
): boolean {
  if (frame.in_app === true) return !isLibraryAnyway(family, frame)
  return frame.in_app ?? libraryRule(family, frame, images) === ''
}

/** Although the client says that it is in-app. */
function isLibraryAnyway(family: PlatformFamily, frame: Frame): boolean {
  const path = frame.abs_path ?? frame.filename ?? ''
  if (family === 'javascript') return hasUrlOrigin(frame) && isLibraryScript(path)
  return family === 'python' && isStandardPython(path)
}

/** True for a frame that is on every stack of the program, although it is the program's own. */
export function isEntryPoint(family: PlatformFamily, frame: Frame): boolean {
  return family === 'native' && isMain(bareNativeName(frame.function ?? ''))
}

/** Returns the name of the frame, or a sentence that says why it has none. */
export function nameFrame(
  family: PlatformFamily,
  frame: Frame,
  context: FrameContext,
): FrameName | string {
  const ruled = context.ruled?.get(frame)
  if (ruled?.isGrouped === false) return `${nameRule('stack_trace', ruled.groupLine)}, ignores it`
  const ignored = ruled?.isGrouped === true ? '' : ignoredBecause(family, frame)
  if (ignored !== '') return ignored
  const sentModule = frame.module ?? ''
  if (family === 'jvm' && isLambdaClass(sentModule)) return 'its class was generated for a lambda'
  const hasModule = sentModule !== '' && !prefersFile(family, frame)

  let action = cleanFunction(family, frame.function ?? '')
  if (family === 'javascript' && ignoredJavaScript.has(action))
    return 'it is evaluated or native code'
  if (family === 'csharp' && action === 'MoveNext') {
    action = methodOfStateMachine(sentModule) || action
  }
  const owned = ownerOf(family, sentModule, action)
  if (owned !== undefined) action = owned.method
  const isScript = family === 'javascript'
  const fromUrl = isScript && hasUrlOrigin(frame)
  // Cleaning the file costs most, and beside a module only a script still needs it.
  const file = isScript || !hasModule ? fileOf(frame, fromUrl) : ''
  const module =
    owned === undefined && (!hasModule || (isScript && file !== '' && isTailOfPath(frame)))
      ? ''
      : cleanModule(family, owned?.owner ?? sentModule)

  let actionKind: FrameName['actionKind'] = 'function'
  const line = frame.context_line
  if (action === '' && !fromUrl && line !== undefined && contextPlatforms.has(family)) {
    action = cleanContextLine(line)
    actionKind = 'context'
  }
  if (action === '' && family === 'native') {
    action = context.images.nameOf(frame.instruction_addr ?? '')
    actionKind = 'address'
  }
  if (module === '' && file === '' && action === '') return 'it has no module, file or function'

  return {
    placeKind: module === '' ? 'file' : 'module',
    place: module === '' ? file : module,
    actionKind,
    action,
    file,
    minified:
      (fromUrl || file === '*.bundle') &&
      looksMinified(frame, actionKind === 'function' ? action : ''),
  }
}

/** The class and method, when the client sends them in another form. */
function ownerOf(
  family: PlatformFamily,
  module: string,
  action: string,
): { readonly owner: string; readonly method: string } | undefined {
  if (family === 'jvm') return kotlinLambda(module, action)
  return family === 'csharp' && module === '' ? classOfMethod(action) : undefined
}

export function appendFramePieces(pieces: Piece[], name: FrameName): void {
  if (name.place !== '') pieces.push(piece(name.placeKind, name.place))
  if (name.action !== '') pieces.push(piece(name.actionKind, name.action))
}

export function sameName(left: FrameName, right: FrameName): boolean {
  return (
    left.action === right.action &&
    left.place === right.place &&
    left.actionKind === right.actionKind &&
    left.placeKind === right.placeKind
  )
}

/**
 * Only clients of newer versions of Ruby know the class; all know the file. The module of Dart is
 * the folder of the file, which is an option of the client.
 */
function prefersFile(family: PlatformFamily, { filename, abs_path: path }: Frame): boolean {
  if (family === 'ruby') return filename !== undefined || path !== undefined
  return family === 'other' && filename?.endsWith('.dart') === true
}

function fileOf(frame: Frame, fromUrl: boolean): string {
  if (fromUrl && hasUnnamedOrigin(frame)) return ''
  const file = cleanFile(frame.filename ?? frame.abs_path ?? '')
  // An inline script has the address of its page: `/orders/123` names an order and no code.
  return fromUrl && !/\.[a-z]{1,8}$/.test(file) ? '' : file
}

/**
 * Some clients derive the module from the path with its content hash; the cleaned file is better.
 */
function isTailOfPath(frame: Frame): boolean {
  const { module, abs_path: path } = frame
  if (module === undefined || path === undefined) return false
  if (path.endsWith(module)) return true
  const dot = path.lastIndexOf('.')
  return dot !== -1 && path.endsWith(module, dot)
}

function cleanContextLine(line: string): string {
  // A line of this length is minified. White space rarely makes a short line so much longer.
  if (line.length > contextUnitsMax * 8) return ''
  const cleaned = line.replace(/\s+/g, ' ').trim()
  return cleaned.length > contextUnitsMax ? '' : cleaned
}
