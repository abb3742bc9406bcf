import { expect, test } from 'vitest'
import { type CountedIssue, IssueSumCache } from './issue-sum-cache.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const minuteMs = 60_000
const sums = { userCount: 3, components: ['api'], environments: ['production'] }
const issue = (change: Partial<CountedIssue> = {}): CountedIssue => ({
  id: 'a',
  hashes: ['1', '2'],
  count: 10_000,
  last_seen: new Date(nowMs - 2 * minuteMs),
  ...change,
})

test.each<[string, CountedIssue, CountedIssue, number, boolean]>([
  ['nothing has happened', issue(), issue(), minuteMs, true],
  ['the same hashes in another order', issue(), issue({ hashes: ['2', '1'] }), 0, true],
  ['a hundredth more events', issue(), issue({ count: 10_100 }), minuteMs, true],
  ['more than that', issue(), issue({ count: 10_101 }), 0, false],
  ['events taken out of the count', issue(), issue({ count: 9_000 }), 0, false],
  ['one more event of a few', issue({ count: 999 }), issue({ count: 1_000 }), 0, false],
  ['one event', issue({ count: 1 }), issue({ count: 1 }), minuteMs, true],
  ['one event, and a replica may lack it', justSeen(1), justSeen(1), 1, false],
  ['many events, and a replica may lack some', justSeen(1_000), justSeen(1_000), 1, true],
  ['another issue', issue(), issue({ id: 'b' }), 0, false],
  ['another hash', issue(), issue({ hashes: ['1', '2', '3'] }), 0, false],
  ['one hash less', issue(), issue({ hashes: ['1'] }), 0, false],
  ['after five minutes', issue(), issue(), 5 * minuteMs, true],
  ['later', issue(), issue(), 5 * minuteMs + 1, false],
  ['the clock was set back', issue(), issue(), -6 * minuteMs, false],
])('%s', (_, read, asked, laterMs, isKnown) => {
  const cache = new IssueSumCache<typeof sums>()
  cache.keep(read, sums, nowMs)
  expect(cache.find(asked, nowMs + laterMs)?.sums).toBe(isKnown ? sums : undefined)
})

function justSeen(count: number): CountedIssue {
  return issue({ count, last_seen: new Date(nowMs) })
}

test.each<[string, CountedIssue, number, boolean]>([
  ['with more events', issue({ count: 20_000, last_seen: new Date(nowMs) }), minuteMs, true],
  ['of another issue', issue({ id: 'b' }), 0, false],
  ['with another hash', issue({ hashes: ['1', '2', '3'] }), 0, false],
  ['after five minutes', issue(), 5 * minuteMs + 1, false],
])('an older entry, %s', (_, asked, laterMs, isKnown) => {
  const cache = new IssueSumCache<typeof sums>()
  cache.keep(issue(), sums, nowMs)
  expect(cache.findOlder(asked, nowMs + laterMs)?.sums).toBe(isKnown ? sums : undefined)
})

test('remembers that an issue has no events', () => {
  const cache = new IssueSumCache<typeof sums>()
  cache.keep(issue(), undefined, nowMs)
  expect(cache.find(issue(), nowMs)).toMatchObject({ sums: undefined })
})

test('forgets the issue that was read first', () => {
  const cache = new IssueSumCache<typeof sums>()
  for (let index = 0; index <= 5_000; index += 1) {
    cache.keep(issue({ id: String(index) }), sums, nowMs)
    if (index === 10) cache.keep(issue({ id: '0' }), sums, nowMs)
  }
  expect(cache.find(issue({ id: '0' }), nowMs)?.sums).toBe(sums)
  expect(cache.find(issue({ id: '1' }), nowMs)).toBeUndefined()
})
