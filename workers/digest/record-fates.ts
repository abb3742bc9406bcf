/** What is known of a range's records before they are read: which are copies, and which may not be touched. */
import type { RecordView } from '#schemas/bus/frame.ts'
import { repeats, secondOf } from '../dedup/id-window.ts'
import type { RangeInput } from './range.ts'

export class RecordFates {
  readonly #duplicates: ReadonlySet<number>
  readonly #repeated: ReadonlySet<number>
  readonly #setAside: ReadonlySet<number>
  /** Of the ids that occur more than once: the seconds in which copies were received that became events. */
  readonly #acceptedSeconds = new Map<string, number[]>()

  constructor({ duplicates, repeated, setAside }: RangeInput) {
    this.#duplicates = new Set(duplicates ?? [])
    this.#repeated = new Set(repeated ?? [])
    this.#setAside = new Set(setAside ?? [])
  }

  isSetAside(ordinal: number): boolean {
    return this.#setAside.has(ordinal)
  }

  /** A copy of what was digested before, or of an earlier record of this range that became an event. */
  isDuplicate(record: RecordView, ordinal: number): boolean {
    if (this.#duplicates.has(ordinal)) return true
    if (!this.#repeated.has(ordinal)) return false
    const second = secondOf(record.receivedAtMs)
    const accepted = this.#acceptedSeconds.get(idName(record)) ?? []
    return accepted.some((earlier) => repeats(earlier, second))
  }

  /** The record became an event. */
  accepted(record: RecordView, ordinal: number): void {
    if (!this.#repeated.has(ordinal)) return
    const name = idName(record)
    const seconds = this.#acceptedSeconds.get(name)
    if (seconds === undefined) this.#acceptedSeconds.set(name, [secondOf(record.receivedAtMs)])
    else seconds.push(secondOf(record.receivedAtMs))
  }
}

function idName({ projectId, recordId }: RecordView): string {
  return `${projectId} ${recordId}`
}
