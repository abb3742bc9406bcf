/**
 * Records which frames of a partition were digested, by instance id and counter. A frame can arrive
 * twice (resent after a lost acknowledgement, or because the broker seemed to have lost it); the
 * second one is dropped whole. A gap is never given up: its frames are in the write-ahead log of
 * the instance that sent them and come late, so counters after the gap are kept as ranges. Stored
 * with the cursor in one transaction, so that a replay makes the same decisions.
 */
import assert from 'node:assert'
import { firstFrameCounter } from '#schemas/bus/frame.ts'

/** Digested counters of one ingest instance: 0 to contiguous - 1, and those in `ahead`. */
export interface InstanceProgress {
  readonly instanceId: string
  readonly contiguous: number
  /** Pairs [from, to), flattened, ascending, with a gap before each. */
  readonly ahead: readonly number[]
}

/**
 * Gaps that are kept for one instance. A broker that lost frames in more places has another defect.
 */
export const gapsPerInstanceMax = 4096

/**
 * `refused`: adding the frame would exceed `gapsPerInstanceMax`. It must be skipped, not digested:
 * ingest finds it missing from the progress and resends it when older gaps have closed.
 */
export type FrameArrival = 'fresh' | 'repeated' | 'refused'

interface Instance {
  contiguous: number
  ahead: number[]
}

export class FrameProgress {
  readonly #instances: Map<string, Instance>
  readonly #changed = new Set<string>()

  constructor(saved: readonly InstanceProgress[] = []) {
    this.#instances = new Map(
      saved.map(({ instanceId, contiguous, ahead }) => [
        instanceId,
        { contiguous, ahead: [...ahead] },
      ]),
    )
  }

  /** Adds the frame if it is fresh. */
  add(instanceId: string, counter: number): FrameArrival {
    assert(Number.isSafeInteger(counter) && counter >= 0)
    const known = this.#instances.get(instanceId) ?? { contiguous: firstFrameCounter, ahead: [] }
    const at = rangeBehind(known.ahead, counter)
    if (counter < known.contiguous || (at > 0 && counter < known.ahead[at - 1]!)) return 'repeated'
    const joins = counter === known.contiguous || touches(known.ahead, at, counter)
    if (!joins && known.ahead.length >= 2 * gapsPerInstanceMax) return 'refused'
    note(this.#changing(instanceId, known), at, counter)
    return 'fresh'
  }

  /**
   * The instances whose progress changed since the copy was made, to be stored with the cursor.
   */
  changes(): InstanceProgress[] {
    return [...this.#changed].map((instanceId) => {
      const instance = this.#instances.get(instanceId)
      assert(instance !== undefined)
      return { instanceId, contiguous: instance.contiguous, ahead: [...instance.ahead] }
    })
  }

  /** A range works on a copy, which replaces the original after the commit. */
  copy(): FrameProgress {
    const copy = new FrameProgress()
    for (const [instanceId, instance] of this.#instances) copy.#instances.set(instanceId, instance)
    return copy
  }

  /**
   * Copies the instance before its first change: until then, a copy shares it with the original.
   */
  #changing(instanceId: string, known: Instance): Instance {
    if (this.#changed.has(instanceId)) return known
    const own = { contiguous: known.contiguous, ahead: [...known.ahead] }
    this.#instances.set(instanceId, own)
    this.#changed.add(instanceId)
    return own
  }
}

/** Index in `ahead` of the first range that begins above the counter. */
function rangeBehind(ahead: readonly number[], counter: number): number {
  let low = 0
  let high = ahead.length / 2
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ahead[middle * 2]! <= counter) low = middle + 1
    else high = middle
  }
  return low * 2
}

function touches(ahead: readonly number[], at: number, counter: number): boolean {
  return (at > 0 && ahead[at - 1] === counter) || ahead[at] === counter + 1
}

/** `at` is the index of the first range above the counter, which is in no range yet. */
function note(instance: Instance, at: number, counter: number): void {
  const { ahead } = instance
  const endsBefore = at > 0 && ahead[at - 1] === counter
  const beginsAfter = ahead[at] === counter + 1
  if (endsBefore && beginsAfter) ahead.splice(at - 1, 2)
  else if (endsBefore) ahead[at - 1] = counter + 1
  else if (beginsAfter) ahead[at] = counter
  else ahead.splice(at, 0, counter, counter + 1)
  // mutant: close-counter-gap
  if (ahead[0] === instance.contiguous) instance.contiguous = ahead.splice(0, 2)[1]!
}
