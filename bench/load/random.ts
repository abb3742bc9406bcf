/**
 * A small seeded generator (mulberry32): the same seed produces the same workload on every machine.
 */
export interface Random {
  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
  /** A text of lowercase hex digits. */
  hex(digitCount: number): string
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (bound: number): number => Math.floor((next() / 0x1_0000_0000) * bound)
  return {
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    hex: (digitCount) => Array.from({ length: digitCount }, () => below(16).toString(16)).join(''),
  }
}
