/**
 * Finds the records of a range that no digest survives, by halves. Everything but the suspects is set aside, so that
 * an attempt shows whether one of them is to blame.
 */
import type { RangeInput } from '../digest/digest-range.ts'

/** A single suspect has to fail so often before it is blamed: a thread may die of something else. */
const confirmations = 5

/**
 * Ordinals of the culprits, ascending; none when the records fail only together.
 * @param attempt rejects when the digest of `input` fails; `share` is the part of the records that it tries.
 * @param stop ends the search, which may take minutes, by throwing.
 */
export async function findCulprits(
  input: RangeInput,
  records: readonly number[],
  attempt: (input: RangeInput, share: number) => Promise<unknown>,
  stop: AbortSignal,
): Promise<number[]> {
  const before = input.setAside ?? []
  const known = new Set(before)
  const suspects = records.filter((ordinal) => !known.has(ordinal))
  const culprits: number[] = []
  await search(suspects)
  return culprits

  /** The suspects have failed together. */
  async function search(among: readonly number[]): Promise<void> {
    if (among.length === 0) return
    if (among.length === 1) {
      for (let round = 0; round < confirmations; round += 1) if (await survives(among)) return
      culprits.push(...among)
      return
    }
    const middle = among.length >>> 1
    for (const half of [among.slice(0, middle), among.slice(middle)]) {
      if (half.length === 1 || !(await survives(half))) await search(half)
    }
  }

  async function survives(among: readonly number[]): Promise<boolean> {
    stop.throwIfAborted()
    const tried = new Set(among)
    const setAside = records.filter((ordinal) => !tried.has(ordinal))
    try {
      await attempt({ ...input, setAside }, among.length / records.length)
      return true
    } catch {
      return false
    }
  }
}
