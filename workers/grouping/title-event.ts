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
      if (typedValue.test(main.value)) return firstLine(main.value, titleUnitsMax)
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

/** Unity logs an exception as a text, which the client sends with a type of its own. */
const typedValue = /^[A-Za-z_][\w.+]{0,127}(?:Exception|Error): /

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
  const name = nameOfCode(frames, context)
  if (name !== undefined) return cutText(describeCode(name), culpritUnitsMax)
  const last = frames.at(-1)
  return last === undefined ? '' : cutText(describeRaw(last), culpritUnitsMax)
}

/**
 * Ruby and PHP give a function of their own the file and line of its caller, which is the code that
 * people look for.
 */
function nameOfCode(frames: readonly Frame[], context: FrameContext): FrameName | undefined {
  const crash = crashFrame(frames, context)
  if (crash === undefined || !borrowsLines(crash.frame, context)) return crash?.name
  const index = frames.lastIndexOf(crash.frame)
  let caller = index
  while (caller > 0 && isAtLineOf(frames[caller - 1]!, frames[caller]!)) caller--
  if (caller === index) return crash.name
  const frame = frames[caller]!
  const name = nameFrame(familyOf(frame, context), frame, context)
  return typeof name === 'string' ? crash.name : name
}

function borrowsLines(frame: Frame, context: FrameContext): boolean {
  const family = familyOf(frame, context)
  return family === 'php' || family === 'ruby'
}

function isAtLineOf(caller: Frame, { abs_path: path, lineno }: Frame): boolean {
  if (path === undefined || lineno === undefined) return false
  return path === caller.abs_path && lineno === caller.lineno
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
