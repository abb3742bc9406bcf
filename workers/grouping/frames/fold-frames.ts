/**
 * Folds direct and mutual recursion, so that its depth does not matter: a frame or a cycle of up to
 * three frames that repeats the frames before it is removed again. Part of g1: a change of any
 * hash must be meant.
 */
import { type FrameName, sameName } from './frame-pieces.ts'

const cycleFramesMax = 3

/** Adds the frame and returns the number of frames that it showed to be a repetition. */
export function pushFolded(frames: FrameName[], frame: FrameName): number {
  frames.push(frame)
  for (let cycle = 1; cycle <= cycleFramesMax; cycle++) {
    if (frames.length < 2 * cycle) return 0
    if (endsRepeated(frames, cycle)) {
      frames.length -= cycle
      return cycle
    }
  }
  return 0
}

function endsRepeated(frames: readonly FrameName[], cycle: number): boolean {
  for (let back = 1; back <= cycle; back++) {
    const later = frames[frames.length - back]!
    const earlier = frames[frames.length - back - cycle]!
    if (!sameName(later, earlier)) return false
  }
  return true
}
