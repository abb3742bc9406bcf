import { describe, expect, test } from 'vitest'
import {
  checkAccounting,
  type Ledger,
  type ProjectAccounting,
  type SentEvent,
  type SentItem,
} from './check-accounting.ts'
import type { StoredItem } from './parts/free-items.ts'

const project: ProjectAccounting = {
  projectId: 1,
  limit: 2,
  limitMax: 2,
  exhaustedIn: '2026-11-01',
  itemsAnswered: 6,
  itemsUnanswered: 1,
}
const sentEvent = (eventId: string, more: Partial<SentEvent> = {}): SentEvent => ({
  projectId: 1,
  eventId,
  isValid: true,
  wasPromised: true,
  ...more,
})
const row = (eventId: string, sampledIds: readonly string[] = []) => ({
  projectId: 1,
  eventId,
  receivedAtMs: Date.UTC(2026, 10, 21),
  sampledIds,
  sampledReceivedAtSeconds: sampledIds.map(() => Date.UTC(2026, 10, 21) / 1000),
})
const outcome = (name: string, quantity: number) => ({
  projectId: 1,
  outcome: name,
  category: 'error',
  quantity,
})
const sentItem = (kind: SentItem['kind'], more: Partial<SentItem> = {}): SentItem => ({
  projectId: 1,
  kind,
  name: kind,
  isValid: true,
  wasPromised: true,
  ...more,
})
const counted = (kind: StoredItem['kind'], count = 1): StoredItem => ({
  projectId: 1,
  kind,
  name: kind,
  count,
})
const usage = (used: number) => ({ projectId: 1, period: '2026-11-01', used, unleased: 0 })

/** Outcomes of a check-in and of an aggregate of sessions, both stored. */
const itemOutcomes = [
  { ...outcome('accepted', 1), category: 'monitor' },
  { ...outcome('accepted', 1), category: 'session' },
]

/** Two events stored, one refused, one invalid, one without a response. */
const sound: Ledger = {
  sent: [
    sentEvent('a'),
    sentEvent('b'),
    sentEvent('c', { wasPromised: false }),
    sentEvent('d', { isValid: false }),
    sentEvent('e', { wasPromised: false }),
  ],
  sentItems: [
    sentItem('check_in'),
    sentItem('sessions'),
    sentItem('feedback', { wasPromised: false }),
  ],
  items: [counted('check_in'), counted('sessions')],
  projects: [project],
  rows: [row('a'), row('b')],
  outcomes: [
    ...[outcome('accepted', 2), outcome('over_quota', 1), outcome('rejected', 1)],
    ...itemOutcomes,
    // Discarded by the client, so never received.
    outcome('client_discard', 100),
  ],
  issues: [{ projectId: 1, count: 2 }],
  usage: [usage(2)],
  openLeases: 0,
  logFiles: [],
  errors: [],
}

test('a consistent ledger has no problem', () => {
  expect(checkAccounting(sound)).toEqual([])
})

test('an event that is sampled into the row of another one counts as stored', () => {
  expect(checkAccounting({ ...sound, rows: [row('a', ['b'])] })).toEqual([])
})

describe('inconsistencies are found', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['an event answered 200 is lost', { rows: [row('a')] }, /1\/b was answered 200 and is lost/],
    ['a duplicate                  ', { rows: [row('a'), row('b'), row('b')] }, /1\/b is stored 2 times/],
    ['a duplicate in another row   ', { rows: [row('a', ['b']), row('b')] }, /1\/b is stored 2 times/],
    ['a row that was never sent    ', { rows: [row('a'), row('b'), row('x')] }, /1\/x is stored and was never sent/],
    ['an invalid event in a row    ', { rows: [row('a'), row('b'), row('d')] }, /1\/d is stored and is not valid/],
    ['an issue count one too low   ', { issues: [{ projectId: 1, count: 1 }] }, /2 events in rows, 1 in issues/],
    ['an issue count one too high  ', { issues: [{ projectId: 1, count: 3 }] }, /2 events in rows, 3 in issues/],
    ['an accepted outcome missing  ', { outcomes: [outcome('accepted', 1), outcome('rejected', 3), ...itemOutcomes] }, /2 events in rows, 1 outcomes accepted/],
    ['an accepted outcome too many ', { outcomes: [outcome('accepted', 3), outcome('rejected', 1), ...itemOutcomes] }, /2 events in rows, 3 outcomes accepted/],
    ['a unit that was not returned ', { usage: [usage(3)] }, /2 events in rows, 3 units of quota used/],
    ['a unit returned twice        ', { usage: [usage(1)] }, /2 events in rows, 1 units of quota used/],
    ['a unit of another month      ', { usage: [usage(1), { ...usage(1), period: '2026-12-01' }] }, /0 events received in 2026-12-01, 1 units used/],
    ['more than the limit          ', { usage: [usage(3)] }, /3 used of 2/],
    ['less than the limit          ', { usage: [usage(1)] }, /only 1 of 2 are used/],
    ['an item without an outcome   ', { outcomes: [outcome('accepted', 2), outcome('rejected', 1), ...itemOutcomes] }, /6 items answered, 5 outcomes/],
    ['an outcome without an item   ', { outcomes: [outcome('accepted', 2), outcome('rejected', 4), ...itemOutcomes] }, /7 items sent, 8 outcomes/],
    ['a check-in that is lost      ', { items: [counted('sessions')] }, /check_in check_in of project 1 was answered and is lost/],
    ['sums that are counted twice  ', { items: [counted('check_in'), counted('sessions', 2)] }, /sessions sessions of project 1 is counted 2 times/],
    ['a check-in never sent        ', { sentItems: [sentItem('sessions')] }, /check_in check_in of project 1 is counted and was never sent/],
    ['a check-in not accepted      ', { outcomes: [...sound.outcomes, { ...outcome('accepted', -1), category: 'monitor' }] }, /1 of check_in counted, 0 outcomes accepted/],
    ['an open lease                ', { openLeases: 1 }, /1 leases are still open/],
    ['a log left behind            ', { logFiles: ['ingest-1/0001.log'] }, /the log ingest-1\/0001.log is still there/],
    ['an error during the run      ', { errors: ['token used twice'] }, /token used twice/],
  ] as const)('%s', (_name, change: Partial<Ledger>, want) => {
    expect(checkAccounting({ ...sound, ...change }).join('\n')).toMatch(want)
  })
})
