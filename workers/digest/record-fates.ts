/** Decides which records of a range are duplicates, and which are set aside without being read. */
import type { RecordView } from '#schemas/bus/frame.ts'
import { repeats, secondOf } from '../dedup/id-window.ts'
import type { RangeInput } from './range.ts'

export class RecordFates {
  readonly #duplicates: ReadonlySet<number>
  readonly #repeated: ReadonlySet<number>
  readonly #setAside: ReadonlySet<number>
  /** By id that occurs more than once: the seconds of receipt of its accepted records. */
  readonly #acceptedSeconds = new Map<string, number[]>()

  constructor({ duplicates, repeated, setAside }: RangeInput) {
    this.#duplicates = new Set(duplicates ?? [])
    this.#repeated = new Set(repeated ?? [])
    this.#setAside = new Set(setAside ?? [])
  }

  isSetAside(ordinal: number): boolean {
    return this.#setAside.has(ordinal)
  }

  /** True for a copy of a digested record or of an earlier accepted record of this range. */
  isDuplicate(record: RecordView, ordinal: number): boolean {
    if (this.#duplicates.has(ordinal)) return true
    if (!this.#repeated.has(ordinal)) return false
    const second = secondOf(record.receivedAtMs)
    const accepted = this.#acceptedSeconds.get(idName(record)) ?? []
    // mutant: copy-within-range
    return accepted.some((earlier) => repeats(earlier, second))
  }

  /** Remembers that the record was accepted. */
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
