/**
 * Finds the records of a range that no digest survives or that a store refuses, by halves.
 * Everything but the suspects is set aside, so that an attempt shows whether one of them is to
 * blame.
 */
import type { RangeInput } from '../digest/range.ts'

/**
 * A single suspect has to fail so often before it is blamed: a thread may die of something else.
 */
const confirmations = 5
/**
 * Attempts of one search. What fails together after that is set aside together: the suspects stand
 * in the order of their projects, so a range full of poison costs the project that sent it, and the
 * partition goes on.
 */
export const attemptsMax = 400

export interface CulpritSearch {
  readonly input: RangeInput
  /** Ordinals of all records, those of one project in a row. */
  readonly records: readonly number[]
  /**
   * Whether a range of these settings passes; `share` is the part of the records that it tries.
   * Throws when that cannot be told now, which ends the search.
   */
  readonly attempt: (input: RangeInput, share: number) => Promise<boolean>
  /** Before suspects are blamed. Throws when no record is at fault, which ends the search. */
  readonly probe: () => Promise<void>
  /** Ends the search, which may take minutes, by throwing. */
  readonly stop: AbortSignal
}

/** Ordinals of the culprits, ascending; none when the records fail only together. */
export async function findPoisonRecords(options: CulpritSearch): Promise<number[]> {
  const { input, records, attempt, probe, stop } = options
  const known = new Set(input.setAside ?? [])
  const poisonRecords: number[] = []
  let attempts = 0
  await search(records.filter((ordinal) => !known.has(ordinal)))
  return poisonRecords.sort((a, b) => a - b)

  /** The suspects have failed together. */
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

  /** Unless they pass after the probe: what made them fail before it may be over. */
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
