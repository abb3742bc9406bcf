/** Which frames of a stack are shown, and which are folded into runs. */
import type { EventFrame } from './read-event.ts'

export type FrameMode = 'app' | 'all' | 'text'

export type FrameRow =
  | { readonly kind: 'frame'; readonly frame: EventFrame; readonly index: number }
  /** Frames of libraries in a row. */
  | { readonly kind: 'library'; readonly frames: readonly FrameEntry[]; readonly index: number }
  /** The frame above it, called again by itself so many times. */
  | { readonly kind: 'repeated'; readonly count: number; readonly index: number }

export interface FrameEntry {
  readonly frame: EventFrame
  readonly index: number
}

/** Whether a frame is of the application: marked as such, or unmarked in a stack without marks. */
export function isOwn(frame: EventFrame, frames: readonly EventFrame[]): boolean {
  if (frame.inApp !== undefined) return frame.inApp
  return !frames.some(({ inApp }) => inApp === true)
}

/**
 * Frames of the application one by one, those of libraries in runs. The frame of the crash is
 * always shown; a run of one frame is shown, too, because folding it saves nothing.
 */
export function groupFrames(frames: readonly EventFrame[], mode: FrameMode): readonly FrameRow[] {
  const marked = frames.some(({ inApp }) => inApp === true)
  const rows: FrameRow[] = []
  let run: FrameEntry[] = []
  const closeRun = () => {
    const [first] = run
    if (first === undefined) return
    if (run.length === 1) rows.push({ kind: 'frame', ...first })
    else rows.push({ kind: 'library', frames: run, index: first.index })
    run = []
  }
  let index = 0
  while (index < frames.length) {
    const frame = frames[index]!
    const isShown = mode !== 'app' || index === 0 || (frame.inApp ?? !marked)
    if (!isShown) {
      run.push({ frame, index })
      index += 1
      continue
    }
    closeRun()
    rows.push({ kind: 'frame', frame, index })
    const repeated = repetitionsAt(frames, index)
    if (repeated > 1) rows.push({ kind: 'repeated', count: repeated, index: index + 1 })
    index += repeated > 1 ? repeated + 1 : 1
  }
  closeRun()
  return rows
}

/** How often the frame follows itself; a recursion is one row, however deep it went. */
function repetitionsAt(frames: readonly EventFrame[], index: number): number {
  const first = frames[index]!
  let count = 0
  while (index + count + 1 < frames.length && isSameCall(first, frames[index + count + 1]!)) {
    count += 1
  }
  return count
}

function isSameCall(a: EventFrame, b: EventFrame): boolean {
  return (
    a.function === b.function &&
    a.file === b.file &&
    a.line === b.line &&
    a.address === b.address &&
    a.inApp === b.inApp
  )
}

/** The frames that are open at first: those of the application nearest to the crash. */
export function openAtFirst(frames: readonly EventFrame[], max: number): ReadonlySet<number> {
  const own = frames.flatMap((frame, index) => (isOwn(frame, frames) ? [index] : []))
  const withSource = own.filter((index) => frames[index]!.source.length > 0)
  return new Set(withSource.slice(0, max))
}
