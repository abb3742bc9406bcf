/**
 * Finds the crash site: the end of a stack without the machinery of throwing. Part of g1: a
 * change of any hash must be meant.
 */
import type { Frame } from '../../normalize/event.ts'
import { type FrameContext, familyOf } from './frame-pieces.ts'
import { isThrowMachinery } from './ignored-frames.ts'

/** The error is not in the nearest frame that throws but in its caller. */
export function crashSiteIndex(frames: readonly Frame[], context: FrameContext): number {
  for (let index = frames.length - 1; index > 0; index--) {
    const frame = frames[index]!
    if (isThrowMachinery(familyOf(frame, context), frame)) return index - 1
  }
  return frames.length - 1
}
