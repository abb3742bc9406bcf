/**
 * Finds the crash site: the end of a stack without the machinery of throwing. Part of g1: a
 * change of any hash must be meant.
 */
import type { Frame } from '../../normalize/event.ts'
import { type FrameContext, familyOf } from './frame-pieces.ts'
import { isClientForC, isThrowMachinery } from './ignored-frames.ts'

/** The error is not in the nearest frame that throws but in its caller. */
export function crashSiteIndex(frames: readonly Frame[], context: FrameContext): number {
  const last = lastOfProgram(frames, context)
  for (let index = last; index > 0; index--) {
    const frame = frames[index]!
    if (isThrowMachinery(familyOf(frame, context), frame)) return index - 1
  }
  return last
}

/** The client library for C lists its own functions, of which only the public ones have names. */
function lastOfProgram(frames: readonly Frame[], context: FrameContext): number {
  const last = frames.length - 1
  let index = last
  while (index > 0 && isUnnamedNative(frames[index]!, context)) index--
  return index < last && isClientForC(frames[index]?.function) ? index : last
}

function isUnnamedNative(frame: Frame, context: FrameContext): boolean {
  return frame.function === undefined && familyOf(frame, context) === 'native'
}
