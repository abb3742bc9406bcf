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

describe('the comparison of ids', () => {
  test('finds no fault when every answered event is stored once', () => {
    const result = check([0, 1, 2, 999], ids([2, 999, 0, 1]))
    expect(result).toMatchObject({ stored: 4, missing: 0, duplicates: 0, unanswered: 0 })
    expect(idsAreExact(result)).toBe(true)
  })

  test('reports a lost event by its id', () => {
    const result = check([0, 1, 2], ids([0, 2]))
    expect(result.missing).toBe(1)
    expect(result.examples).toEqual(['missing event 1'])
    expect(idsAreExact(result)).toBe(false)
  })

  test('reports a duplicate, even if a loss keeps the total equal', () => {
    const result = check([0, 1, 2], ids([0, 1, 1]))
    expect(result).toMatchObject({ stored: 3, missing: 1, duplicates: 1 })
    expect(idsAreExact(result)).toBe(false)
  })

  test('counts rows without an answer, which are not an error', () => {
    const result = check([0], ids([0, 7]))
    expect(result.unanswered).toBe(1)
    expect(idsAreExact(result)).toBe(true)
  })

  test('reports ids of other runs and ids never sent as foreign', () => {
    const result = check([0], [...ids([0, 1000]), eventIdOf('ffffffffffffffff', 0)])
    expect(result.foreign).toBe(2)
    expect(idsAreExact(result)).toBe(false)
  })
})

describe('answered ids', () => {
  test('are restored after the transfer from a thread', () => {
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
