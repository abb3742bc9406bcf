/**
 * Which frames of a partition have been digested, by their end-to-end number. A frame can arrive twice
 * (sent again after a lost acknowledgement, or read again after the stream's tail was cut); the second
 * is dropped whole. Kept with the cursor in one transaction, so that a replay decides alike.
 */
import assert from 'node:assert'
import { firstFrameCounter } from '#schemas/bus/frame.ts'
import { framesInFlightMax } from '#schemas/limits.ts'

/** Counters digested of one boot id: 0 … contiguous - 1, and those in `ahead`. */
export interface BootProgress {
  readonly bootId: string
  readonly contiguous: number
  readonly ahead: readonly number[]
}

export class FrameProgress {
  readonly #boots = new Map<string, { contiguous: number; ahead: Set<number> }>()
  readonly #changed = new Set<string>()

  constructor(saved: readonly BootProgress[] = []) {
    for (const { bootId, contiguous, ahead } of saved) {
      this.#boots.set(bootId, { contiguous, ahead: new Set(ahead) })
    }
  }

  /** Notes the frame. False: it was digested before. */
  add(bootId: string, counter: number): boolean {
    assert(Number.isSafeInteger(counter) && counter >= 0)
    let boot = this.#boots.get(bootId)
    if (boot === undefined) {
      boot = { contiguous: firstFrameCounter, ahead: new Set() }
      this.#boots.set(bootId, boot)
    }
    if (counter < boot.contiguous || boot.ahead.has(counter)) return false
    boot.ahead.add(counter)
    while (boot.ahead.delete(boot.contiguous)) boot.contiguous += 1
    if (boot.ahead.size > framesInFlightMax) skipGap(boot)
    this.#changed.add(bootId)
    return true
  }

  /** What changed since the copy was made, to be stored with the cursor. */
  changes(): BootProgress[] {
    return [...this.#changed].map((bootId) => {
      const boot = this.#boots.get(bootId)
      assert(boot !== undefined)
      return { bootId, contiguous: boot.contiguous, ahead: [...boot.ahead].sort((a, b) => a - b) }
    })
  }

  /** A range is tried on a copy, which replaces the original once the range is committed. */
  copy(): FrameProgress {
    const copy = new FrameProgress()
    for (const [bootId, { contiguous, ahead }] of this.#boots) {
      copy.#boots.set(bootId, { contiguous, ahead: new Set(ahead) })
    }
    return copy
  }
}

/**
 * No process has more than `framesInFlightMax` frames on their way, so a frame that is missed below as many later ones
 * will not come any more: the gap is given up, or the list of what came ahead of it would grow for ever.
 */
function skipGap(boot: { contiguous: number; ahead: Set<number> }): void {
  const kept = [...boot.ahead].sort((a, b) => a - b)
  boot.contiguous = kept[0] ?? boot.contiguous
  while (boot.ahead.delete(boot.contiguous)) boot.contiguous += 1
}
