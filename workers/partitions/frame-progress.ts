/**
 * Which frames of a partition have been digested, by their end-to-end number. A frame can arrive
 * twice (sent again after a lost acknowledgement, or because the broker seemed to have forgotten
 * it); the second is dropped whole. A gap is never given up: its frames stand in the log of the
 * process that sent them and come late, so what came ahead is kept as ranges. Kept with the cursor
 * in one transaction, so that a replay decides alike.
 */
import assert from 'node:assert'
import { firstFrameCounter } from '#schemas/bus/frame.ts'

/** Counters digested of one boot id: 0 … contiguous - 1, and those in `ahead`. */
export interface InstanceProgress {
  readonly instanceId: string
  readonly contiguous: number
  /** Pairs [from, to), flattened, ascending, with a gap before each. */
  readonly ahead: readonly number[]
}

/**
 * Gaps that are kept of one boot. A broker that forgets in so many places is broken in another way.
 */
export const gapsPerInstanceMax = 4096

/**
 * `refused`: to note the frame would take more gaps than are kept. It must be left out, not
 * digested: ingest finds it missing from the progress and sends it again, when older gaps have
 * closed.
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

  /** Notes the frame when it is fresh. */
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

  /** What changed since the copy was made, to be stored with the cursor. */
  changes(): InstanceProgress[] {
    return [...this.#changed].map((instanceId) => {
      const instance = this.#instances.get(instanceId)
      assert(instance !== undefined)
      return { instanceId, contiguous: instance.contiguous, ahead: [...instance.ahead] }
    })
  }

  /** A range is tried on a copy, which replaces the original once the range is committed. */
  copy(): FrameProgress {
    const copy = new FrameProgress()
    for (const [instanceId, instance] of this.#instances) copy.#instances.set(instanceId, instance)
    return copy
  }

  /** A copy shares what it does not change. */
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

/** `at` is the range behind the counter, which is in none. */
function note(instance: Instance, at: number, counter: number): void {
  const { ahead } = instance
  const endsBefore = at > 0 && ahead[at - 1] === counter
  const beginsAfter = ahead[at] === counter + 1
  if (endsBefore && beginsAfter) ahead.splice(at - 1, 2)
  else if (endsBefore) ahead[at - 1] = counter + 1
  else if (beginsAfter) ahead[at] = counter
  else ahead.splice(at, 0, counter, counter + 1)
  // mutant: gap-in-counters
  if (ahead[0] === instance.contiguous) instance.contiguous = ahead.splice(0, 2)[1]!
}
