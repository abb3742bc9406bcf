import { describe, expect, test } from 'vitest'
import { AnsweredIds } from './answered-ids.ts'
import { checkIds, idsAreExact } from './check-ids.ts'
import { eventIdOf } from './event-ids.ts'

const runId = '00000000000000aa'
const ids = (counters: readonly number[]) => counters.map((counter) => eventIdOf(runId, counter))

function check(answeredCounters: readonly number[], storedIds: readonly string[]) {
  const answered = new AnsweredIds()
  for (const counter of answeredCounters) answered.add(counter)
  return checkIds({ runId, answered, counterEnd: 1000, storedIds })
}

describe('the check of ids', () => {
  test('every 200 stored once is exact', () => {
    const result = check([0, 1, 2, 999], ids([2, 999, 0, 1]))
    expect(result).toMatchObject({ stored: 4, missing: 0, duplicates: 0, unanswered: 0 })
    expect(idsAreExact(result)).toBe(true)
  })

  test('a planted loss is found and named', () => {
    const result = check([0, 1, 2], ids([0, 2]))
    expect(result.missing).toBe(1)
    expect(result.examples).toEqual(['missing event 1'])
    expect(idsAreExact(result)).toBe(false)
  })

  test('a planted duplicate is found, even where a loss keeps the total right', () => {
    const result = check([0, 1, 2], ids([0, 1, 1]))
    expect(result).toMatchObject({ stored: 3, missing: 1, duplicates: 1 })
    expect(idsAreExact(result)).toBe(false)
  })

  test('a row without a 200 is told apart, and is not an error', () => {
    const result = check([0], ids([0, 7]))
    expect(result.unanswered).toBe(1)
    expect(idsAreExact(result)).toBe(true)
  })

  test('ids of other runs and ids never sent are foreign', () => {
    const result = check([0], [...ids([0, 1000]), eventIdOf('ffffffffffffffff', 0)])
    expect(result.foreign).toBe(2)
    expect(idsAreExact(result)).toBe(false)
  })
})

describe('answered ids', () => {
  test('survive the way through a thread', () => {
    const answered = new AnsweredIds()
    const counters = [0, 7, 8, 9_999, 123_456]
    for (const counter of counters) answered.add(counter)
    answered.add(7)
    const copy = new AnsweredIds(structuredClone(answered.bytes))
    expect([...copy.counters()]).toEqual(counters)
    expect(copy.count).toBe(5)
    expect(copy.has(10)).toBe(false)
  })
})
