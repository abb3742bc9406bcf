/**
 * Reads a stack trace into two lists of named frames, nearest the crash first: the user's own
 * frames, and all frames. Each list has at most 30, because very deep stacks differ far from the
 * crash for irrelevant reasons. Part of g1: a change of any hash must be meant.
 */
import type { Frame } from '../../normalize/event.ts'
import { oncePerStack } from '../../normalize/known-frames/shared-stacks.ts'
import { nameRule } from '../rules/ruled-frame.ts'
import { cutText } from '../text/cut-text.ts'
import { type Trace, traceRule, traceSkip } from '../trace.ts'
import { isCallbackOrigin, isHelperName } from './clean-javascript-function.ts'
import { crashSiteIndex } from './crash-site.ts'
import { pushFolded } from './fold-frames.ts'
import {
  type FrameContext,
  type FrameName,
  familyOf,
  isEntryPoint,
  isInApp,
  nameFrame,
} from './frame-pieces.ts'
import { libraryRule } from './in-app.ts'
import { hasUrlOrigin } from './minified.ts'
import { noImages } from './native-frame.ts'

export interface Stack {
  readonly app: readonly FrameName[]
  readonly system: readonly FrameName[]
  /** True when the names are minified: then only the file of the crash frame is used. */
  readonly minified: boolean
}

const framesPerVariantMax = 30
/**
 * Of a native stack without a frame of the program, because the callers in the system's libraries
 * differ by the version of the system.
 */
const systemFramesAloneMax = 5
const noStack: Stack = { app: [], system: [], minified: false }

export function readStack(
  frames: readonly Frame[],
  context: FrameContext,
  trace: Trace | undefined,
): Stack {
  if (frames.length === 0) return noStack
  // Without rules and images, the names depend on the platform alone, and so does a shared list.
  return trace === undefined && context.ruled === undefined && context.images === noImages
    ? nameStack(frames, context)
    : nameFrames(frames, context, trace)
}

const nameStack = oncePerStack((frames: readonly Frame[], context: FrameContext): Stack => {
  const { app, system, minified } = nameFrames(frames, context, undefined)
  // What is made of the names is kept, too, if the list is frozen.
  return { app: Object.freeze(app), system: Object.freeze(system), minified }
})

function nameFrames(
  frames: readonly Frame[],
  context: FrameContext,
  trace: Trace | undefined,
): Stack {
  if (isLoneInlineScript(frames, context)) {
    if (trace) traceSkip(trace, 'all', 'frame 1', 'a single frame of an inline script says nothing')
    return noStack
  }
  const app: FrameName[] = []
  const system: FrameName[] = []
  let isNative = true
  const last = crashSiteIndex(frames, context)
  if (trace && last < frames.length - 1) {
    trace.notes.add(`${count(frames.length - 1 - last, 'frame')} of the throwing machinery ignored`)
  }
  for (let index = last; index >= 0; index--) {
    const appIsFull = app.length >= framesPerVariantMax
    const systemIsFull = system.length >= framesPerVariantMax
    if (appIsFull && systemIsFull && !trace) break

    const frame = frames[index]!
    const family = familyOf(frame, context)
    if (family === 'javascript' && isCallbackOrigin(frame.function ?? '')) {
      trace?.notes.add(
        'the frames that started the callback are ignored: not all engines list them',
      )
      break
    }
    if (family === 'javascript' && isInlinedHelper(frames, index)) {
      const why = 'it is a helper that a compiler put there'
      if (trace) traceSkip(trace, 'all', `frame ${frames.length - index}`, why)
      continue
    }
    const inApp =
      context.ruled?.get(frame)?.inApp ??
      (isInApp(family, frame, context) && !isEntryPoint(family, frame))
    if (trace && !inApp) trace.libraryFrameCount++
    if (systemIsFull && !inApp && !trace) continue

    const name = nameFrame(family, frame, context)
    if (typeof name === 'string') {
      if (trace) traceSkip(trace, 'all', `frame ${frames.length - index}`, name)
      continue
    }
    if (family !== 'native') isNative = false
    let folded = 0
    if (!systemIsFull) folded = pushFolded(system, name)
    if (inApp && !appIsFull) pushFolded(app, name)
    if (trace) {
      trace.foldedFrameCount += folded
      const what = `frame ${frames.length - index}: ${describe(name)}`
      if (!inApp) traceLibrary(trace, what, frame, context)
      const tooFar = `it is beyond the ${framesPerVariantMax} frames nearest the crash`
      if (systemIsFull) traceSkip(trace, 'system', what, tooFar)
      if (inApp && appIsFull) traceSkip(trace, 'app', what, tooFar)
    }
  }
  if (app.length === 0 && isNative && system.length > systemFramesAloneMax) {
    trace?.notes.add(
      `of a stack without in-app frames, the ${systemFramesAloneMax} nearest the crash are used`,
    )
    system.length = systemFramesAloneMax
  }
  return { app, system, minified: isMinified(app.length > 0 ? app : system) }
}

/** Describes a frame for people: `shop.cart in add_item`. */
export function describe(name: FrameName): string {
  if (name.place === '') return name.action
  return name.action === '' ? name.place : `${name.place} in ${name.action}`
}

export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

function traceLibrary(trace: Trace, what: string, frame: Frame, context: FrameContext): void {
  const ruled = context.ruled?.get(frame)
  if (ruled?.inApp === false) {
    traceSkip(trace, 'app', what, `not in-app (${nameRule('stack_trace', ruled.inAppLine)})`)
    return
  }
  const family = familyOf(frame, context)
  if (isEntryPoint(family, frame)) {
    traceSkip(trace, 'app', what, 'not in-app: the program starts there')
    return
  }
  if (frame.in_app === false) {
    traceSkip(trace, 'app', what, 'not in-app, as the client says')
    return
  }
  const rule = libraryRule(family, frame, context.images)
  traceSkip(trace, 'app', what, `not in-app (${rule})`)
  traceRule(trace, `in-app default: ${family}/${cutText(rule, 60)}`)
}

/** Compilers give these helpers common names, so one of them alone may be the user's function. */
function isInlinedHelper(frames: readonly Frame[], index: number): boolean {
  const { function: name } = frames[index]!
  if (name === undefined || name === 'anonymous') {
    const called = frames[index + 1]?.function
    return called === '_next' || called === '_throw'
  }
  if (!isHelperName(name)) return false
  return isHelperName(frames[index - 1]?.function) || isHelperName(frames[index + 1]?.function)
}

function isLoneInlineScript(frames: readonly Frame[], context: FrameContext): boolean {
  if (frames.length !== 1) return false
  const frame = frames[0]!
  if (familyOf(frame, context) !== 'javascript' || !hasUrlOrigin(frame)) return false
  const name = nameFrame('javascript', frame, context)
  return typeof name === 'string' || name.action === ''
}

/**
 * Half of the frames suffice: minifiers keep property names, so the crash frame may look normal.
 */
function isMinified(frames: readonly FrameName[]): boolean {
  let minifiedCount = 0
  for (const frame of frames) if (frame.minified) minifiedCount++
  return 0 < minifiedCount && frames.length <= 2 * minifiedCount
}
