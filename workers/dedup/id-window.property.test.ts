import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdWindow, latenessSeconds } from './id-window.ts'

const seed = 20_261_120
const windowSeconds = 60
const options = { windowMs: windowSeconds * 1000 }

interface Pair {
  readonly id: number
  readonly second: number
}

/**
 * Times in any order, around the length of the window or of the lateness; in some runs with jumps.
 */
const near = fc.integer({ min: 1_000_000, max: 1_000_000 + windowSeconds * 3 })
const spread = fc.integer({ min: 1_000_000, max: 1_000_000 + latenessSeconds * 2 })
const leap = fc.integer({ min: 1, max: 0xffff_ffff })
/** So few times that the same pair is repeated after some of its neighbours have expired. */
const dense = fc.nat(10).map((step) => 1_000_000 + (step * latenessSeconds) / 4)
const pairs = fc.oneof(
  pairsAt(dense),
  pairsAt(near),
  pairsAt(fc.oneof(near, spread)),
  pairsAt(fc.oneof({ weight: 50, arbitrary: near }, { weight: 1, arbitrary: leap })),
)

function pairsAt(second: fc.Arbitrary<number>): fc.Arbitrary<Pair[]> {
  return fc.array(fc.record({ id: fc.nat(40), second }), { maxLength: 300, size: 'max' })
}

/** A few fingerprints that share their segment and their home, so that chains grow. */
const words = (id: number) => [id % 2, id % 3, id] as const

function enter(window: IdWindow, { id, second }: Pair): void {
  window.enter(...words(id), second)
}

function filled(all: readonly Pair[], idsMax: number): IdWindow {
  const window = new IdWindow({ ...options, idsMax })
  for (const pair of all) enter(window, pair)
  return window
}

test('a window gives the same answers for any order of its ids', () => {
  const property = fc.property(
    pairs,
    pairs,
    fc.integer({ min: 1, max: 200 }),
    fc.func(fc.nat()),
    (entered, asked, idsMax, order) => {
      const live = filled(entered, idsMax)
      const shuffled = [...entered].sort((a, b) => order(a) - order(b))
      const rebuilt = filled(shuffled, idsMax)
      expect(rebuilt.size).toBe(live.size)
      expect(rebuilt.floorSecond).toBe(live.floorSecond)
      expect(live.size).toBeLessThanOrEqual(idsMax)
      const held = entered.filter((pair) => pair.second >= live.floorSecond)
      const wrong = [...asked, ...entered].filter(({ id, second }) => {
        const isKnown = held.some(
          (pair) => pair.id === id && Math.abs(pair.second - second) < windowSeconds,
        )
        return [live, rebuilt].some((window) => window.has(...words(id), second) !== isKnown)
      })
      expect(wrong).toEqual([])
    },
  )
  fc.assert(property, { seed, numRuns: 150 })
})

test('a record that is not late is a duplicate exactly when an id is less than the window away', () => {
  const property = fc.property(pairs, pairs, (entered, asked) => {
    const window = filled(entered, 1_000)
    for (const { id, second } of asked) {
      if (window.isLate(second)) continue
      const copies = entered.filter(
        (pair) => pair.id === id && Math.abs(pair.second - second) < windowSeconds,
      )
      expect(window.has(...words(id), second)).toBe(copies.length > 0)
    }
  })
  fc.assert(property, { seed, numRuns: 150 })
})

test('a window that is rebuilt during a day makes the same decisions', () => {
  const property = fc.property(pairs, fc.nat(300), (records, restartAt) => {
    const decide = (restart: boolean): boolean[] => {
      let window = filled([], 50)
      const accepted: Pair[] = []
      return records.map((record, at) => {
        if (restart && at === restartAt) window = filled(accepted.reverse(), 50)
        const isDuplicate = window.has(...words(record.id), record.second)
        if (!isDuplicate) {
          accepted.push(record)
          enter(window, record)
        }
        return isDuplicate
      })
    }
    expect(decide(true)).toEqual(decide(false))
  })
  fc.assert(property, { seed, numRuns: 300 })
})
