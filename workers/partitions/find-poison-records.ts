/**
 * Finds the records of a range that end every digest or that a store refuses, by bisection. All
 * other records are set aside in an attempt, so it shows whether one of the suspects is to blame.
 */
import type { RangeInput } from '../digest/range.ts'

/**
 * Times that a single suspect has to fail before it is blamed: a thread may end for another reason.
 */
const confirmations = 5
/**
 * Attempts of one search. Suspects that still fail together after that are set aside together. They
 * are ordered by project, so a range full of poison records affects the project that sent them, and
 * the partition continues.
 */
export const attemptsMax = 400

export interface PoisonRecordSearch {
  readonly input: RangeInput
  /** Ordinals of all records, grouped by project. */
  readonly records: readonly number[]
  /**
   * Returns whether a range with these settings succeeds; `share` is the fraction of the records in
   * it. Throws when that cannot be decided now, which ends the search.
   */
  readonly attempt: (input: RangeInput, share: number) => Promise<boolean>
  /**
   * Called before suspects are blamed. Throws when no record is at fault, which ends the search.
   */
  readonly probe: () => Promise<void>
  /** Aborts the search, which may take minutes; it throws then. */
  readonly stop: AbortSignal
}

/**
 * Returns the ordinals of the poison records in ascending order, or none when the records fail only
 * together.
 */
export async function findPoisonRecords(options: PoisonRecordSearch): Promise<number[]> {
  const { input, records, attempt, probe, stop } = options
  const known = new Set(input.setAside ?? [])
  const poisonRecords: number[] = []
  let attempts = 0
  await search(records.filter((ordinal) => !known.has(ordinal)))
  return poisonRecords.sort((a, b) => a - b)

  /** The suspects failed together. */
  async function search(among: readonly number[]): Promise<void> {
    if (among.length === 0) return
    if (attempts >= attemptsMax) return blame(among)
    if (among.length === 1) {
      for (let round = 1; round < confirmations; round += 1) if (await passes(among)) return
      return blame(among)
    }
    const middle = among.length >>> 1
    for (const half of [among.slice(0, middle), among.slice(middle)]) {
      if (half.length === 1 || !(await passes(half))) await search(half)
    }
  }

  /** Suspects that succeed after the probe are not blamed: the cause may be over. */
  async function blame(among: readonly number[]): Promise<void> {
    await probe()
    if (!(await passes(among))) poisonRecords.push(...among)
  }

  function passes(among: readonly number[]): Promise<boolean> {
    stop.throwIfAborted()
    attempts += 1
    const tried = new Set(among)
    const setAside = records.filter((ordinal) => !tried.has(ordinal)).sort((a, b) => a - b)
    return attempt({ ...input, setAside }, among.length / records.length)
  }
}
