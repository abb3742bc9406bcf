/** Where a stack ends once the machinery of throwing is taken off. Part of g1: frozen once shipped, a change is g2. */
import type { Frame } from '../../normalize/event.ts'
import { type FrameContext, familyOf } from './frame-pieces.ts'
import { isThrowMachinery } from './ignored-frames.ts'

/** The nearest frame that throws is not where the error is: its caller is. */
export function crashSiteIndex(frames: readonly Frame[], context: FrameContext): number {
  for (let index = frames.length - 1; index > 0; index--) {
    const frame = frames[index]!
    if (isThrowMachinery(familyOf(frame, context), frame)) return index - 1
  }
  return frames.length - 1
}
