/** Title and culprit of an event, as the list of issues shows them. */
import type { EventException, Frame, NormalizedEvent } from '../normalize/event.ts'
import { oncePerStack } from '../normalize/known-frames/shared-stacks.ts'
import { baseName } from './frames/clean-file.ts'
import { crashSiteIndex } from './frames/crash-site.ts'
import {
  type FrameContext,
  type FrameName,
  familyOf,
  isEntryPoint,
  isInApp,
  nameFrame,
} from './frames/frame-pieces.ts'
import { noImages } from './frames/native-frame.ts'
import { describe } from './frames/read-stack.ts'
import { cutText, firstLine } from './text/cut-text.ts'

const titleUnitsMax = 256
const culpritUnitsMax = 200

export const unlabeled = '<unlabeled event>'

export function titleEvent(
  event: NormalizedEvent,
  main: EventException | undefined,
  frames: readonly Frame[],
  context: FrameContext,
): string {
  if (main !== undefined) {
    // A captured message with a stack is synthetic too but has no type; its text is its title.
    if (main.mechanism?.synthetic === true && main.type !== '') {
      const name = crashName(frames, context)?.action
      if (name !== undefined && name !== '') return cutText(name, titleUnitsMax)
    }
    const value = firstLine(main.value, titleUnitsMax)
    const title = main.type !== '' && value !== '' ? `${main.type}: ${value}` : main.type || value
    if (title !== '') return cutText(firstLine(title, titleUnitsMax), titleUnitsMax)
    const code = titleOfCode(main, crashName(frames, context)?.action ?? '')
    if (code !== '') return cutText(firstLine(code, titleUnitsMax), titleUnitsMax)
  } else {
    const message = event.message
    const title = firstLine(message?.formatted || message?.template || '', titleUnitsMax)
    if (title !== '') return title
    if (event.securityReport !== undefined) {
      const { directive, blockedHost } = event.securityReport
      return cutText(
        `Blocked by ${directive || 'a policy'}: ${blockedHost || 'unknown'}`,
        titleUnitsMax,
      )
    }
  }
  const name = crashName(frames, context)
  return name === undefined || name.action === '' ? unlabeled : cutText(name.action, titleUnitsMax)
}

/** An error of the system may have neither a type nor a message. */
function titleOfCode({ mechanism }: EventException, action: string): string {
  const nsError = mechanism?.nsError
  if (nsError !== undefined) return `${nsError.domain}: code ${nsError.code || 'unknown'}`
  const signal = mechanism?.signal?.name ?? ''
  return signal === '' || action === '' ? signal : `${signal} in ${action}`
}

/** The transaction, else where the error is: in the user's own code when there is any. */
export function culpritOf(
  event: NormalizedEvent,
  frames: readonly Frame[],
  context: FrameContext,
): string {
  if (event.transaction !== '') return cutText(event.transaction, culpritUnitsMax)
  const name = crashName(frames, context)
  if (name !== undefined) return cutText(describeCode(name), culpritUnitsMax)
  const last = frames.at(-1)
  return last === undefined ? '' : cutText(describeRaw(last), culpritUnitsMax)
}

/** For a stack of nothing but frames that grouping ignores. */
function describeRaw(frame: Frame): string {
  const path = frame.filename ?? frame.abs_path ?? ''
  const place = frame.module || baseName(path) || path || baseName(frame.package ?? '')
  const action = frame.function || frame.instruction_addr || ''
  if (place === '') return action
  return action === '' ? place : `${place} in ${action}`
}

interface CrashFrame {
  readonly frame: Frame
  readonly name: FrameName
}

/** The named frame nearest the crash, in-app first. */
export function crashFrame(
  frames: readonly Frame[],
  context: FrameContext,
): CrashFrame | undefined {
  return context.images === noImages && context.ruled === undefined
    ? crashOfStack(frames, context)
    : findCrash(frames, context)
}

const crashOfStack = oncePerStack(findCrash)

function findCrash(frames: readonly Frame[], context: FrameContext): CrashFrame | undefined {
  let nearest: CrashFrame | undefined
  for (let index = crashSiteIndex(frames, context); index >= 0; index--) {
    const frame = frames[index]!
    const family = familyOf(frame, context)
    const inApp = isInApp(family, frame, context) && !isEntryPoint(family, frame)
    if (!inApp && nearest !== undefined) continue
    const name = nameFrame(family, frame, context)
    if (typeof name === 'string') continue
    if (inApp) return { frame, name }
    nearest ??= { frame, name }
  }
  return nearest
}

function crashName(frames: readonly Frame[], context: FrameContext): FrameName | undefined {
  return crashFrame(frames, context)?.name
}

/** A source line is good to hash but hard to read in a list. */
function describeCode(name: FrameName): string {
  return name.actionKind === 'context' && name.place !== '' ? name.place : describe(name)
}
