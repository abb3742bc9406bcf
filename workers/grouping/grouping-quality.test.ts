/** How many pairs of the corpus are one issue or two as an experienced developer wants it. */
import { expect, test } from 'vitest'
import { corpus } from '../../test/fixtures/grouping-quality/corpus.ts'
import { isWanted, judgePairs } from '../../test/fixtures/grouping-quality/judge-pairs.ts'
import { knownWrongPairs } from '../../test/fixtures/grouping-quality/known-wrong-pairs.ts'

const judged = judgePairs()
const name = ({ platform, reason }: { platform: string; reason: string }) =>
  `${platform}: ${reason}`
const wrong = judged.filter((pair) => !isWanted(pair))

test('the corpus is large, both answers are frequent, and each reason is unique', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(12)
  expect(judged.length).toBeGreaterThanOrEqual(300)
  expect(new Set(judged.map(name)).size).toBe(judged.length)
  for (const answer of ['same', 'different']) {
    const count = judged.filter(({ wanted }) => wanted === answer).length
    expect(count).toBeGreaterThan(judged.length / 4)
  }
})

test('at least 95 percent are as wanted', () => {
  expect(1 - wrong.length / judged.length).toBeGreaterThanOrEqual(0.95)
})

test('the pairs that are wrong are the known ones: add what is new, remove what is right', () => {
  const known = Object.entries(knownWrongPairs).flatMap(([platform, reasons]) =>
    Object.keys(reasons).map((reason) => name({ platform, reason })),
  )
  expect(wrong.map(name).toSorted()).toEqual(known.toSorted())
})

test('each known wrong pair says why', () => {
  for (const reasons of Object.values(knownWrongPairs)) {
    for (const why of Object.values(reasons)) expect(why.length).toBeGreaterThan(20)
  }
})
