import { describe, expect, test } from 'vitest'
import { eventIdOf } from '../../bench/load/event-ids.ts'
import { checkProject } from './check-round.ts'
import type { PlannedProject } from './plan-load.ts'
import type { StoredProject } from './read-stores.ts'
import { RoundLedger } from './round-ledger.ts'

const runId = '0123456789abcdef'
const limit = 6
const unlimited: PlannedProject = {
  role: 'unlimited',
  runId,
  eventCount: 9,
  monthlyEvents: null,
  issueEventsPerMinute: null,
  alertThreshold: 1,
}
const limited: PlannedProject = { ...unlimited, role: 'limited', monthlyEvents: limit }
const open = { quotaUsedUp: false, allowance: 0 }
const usedUp = { quotaUsedUp: true, allowance: 0 }
const alone = { spoiled: 0, sessions: 0, transactions: 0 }
const id = (counter: number) => eventIdOf(runId, counter)

/**
 * Seven events answered 200, one request without a response, one refused connection; a duplicate,
 * an invalid event, a session.
 */
function ledgerOf(project: PlannedProject): RoundLedger {
  const ledger = new RoundLedger(project)
  const ok = { kind: 'answered', status: 200 } as const
  for (let counter = 0; counter < 5; counter += 1)
    ledger.record({ ...alone, events: [counter] }, ok)
  ledger.record({ spoiled: 1, sessions: 1, transactions: 1, events: [0, 5] }, ok)
  ledger.record({ ...alone, events: [6] }, { kind: 'broken' })
  ledger.record({ ...alone, events: [7] }, { kind: 'refused' })
  return ledger
}

const sound: StoredProject = {
  rowIds: [0, 1, 2, 3].map(id),
  sampledIds: [4, 5].map(id),
  issues: [
    { counted: 3, sampledCounted: 1, rows: 2, sampled: 1 },
    { counted: 3, sampledCounted: 1, rows: 2, sampled: 1 },
  ],
  rowsWithoutIssue: 0,
  outcomes: [
    { outcome: 'accepted', reason: '', category: 'error', quantity: 6 },
    { outcome: 'duplicate', reason: '', category: 'error', quantity: 1 },
    { outcome: 'rejected', reason: 'invalid_json', category: 'error', quantity: 1 },
    { outcome: 'accepted', reason: '', category: 'session', quantity: 1 },
    { outcome: 'unsupported', reason: 'x', category: 'transaction', quantity: 1 },
  ],
  released: 6,
  used: 6,
  openLeases: 0,
  deadLetters: 0,
  sessions: 1,
  files: [],
}

/** A consistent project, except that the number of accepted events is different. */
function withEvents(rowIds: readonly string[], events: number): StoredProject {
  const outcomes = sound.outcomes.map((row) =>
    row.outcome === 'accepted' && row.category === 'error' ? { ...row, quantity: events } : row,
  )
  const issues = [{ counted: events, sampledCounted: 0, rows: events, sampled: 0 }]
  return { ...sound, rowIds, sampledIds: [], issues, outcomes, released: events, used: events }
}

test('a consistent project has no findings', () => {
  expect(checkProject(ledgerOf(unlimited), sound, open)).toEqual([])
  expect(checkProject(ledgerOf(limited), sound, usedUp)).toEqual([])
})

test('an event whose request got no response may be stored', () => {
  const stored = withEvents([0, 1, 2, 3, 4, 5, 6].map(id), 7)
  expect(checkProject(ledgerOf(unlimited), stored, open)).toEqual([])
})

describe('inconsistencies are found', () => {
  // biome-ignore format: the columns are the point
  test.each<[string, StoredProject, RegExp]>([
    ['a lost event', withEvents([0, 1, 2, 3, 4].map(id), 5), /1 events were answered 200 and are not stored; counters: 5/],
    ['a session counted twice', { ...sound, sessions: 2 }, /2 sessions are counted, 1 were accepted/],
    ['a row that is stored twice', withEvents([0, 1, 2, 3, 4, 5, 5].map(id), 7), /1 events are stored twice/],
    ['an event that has a row and is sampled as well', { ...sound, sampledIds: [4, 5, 0].map(id) }, /1 events are stored twice/],
    ['an event that was never sent', withEvents([0, 1, 2, 3, 4, 5, 8].map(id), 7), /1 events are stored that were never sent/],
    ['an event of a refused connection', withEvents([0, 1, 2, 3, 4, 5, 7].map(id), 7), /1 events are stored that were never sent/],
    ['an unknown id', withEvents([...[0, 1, 2, 3, 4, 5].map(id), 'f'.repeat(32)], 7), /1 events are stored that were never sent/],
    ['an issue that counts one too many', { ...sound, issues: [{ counted: 4, sampledCounted: 1, rows: 2, sampled: 1 }, sound.issues[1]!] }, /an issue counts 4/],
    ['two wrong issue counts with the right sum', { ...sound, issues: [{ counted: 4, sampledCounted: 1, rows: 2, sampled: 1 }, { counted: 2, sampledCounted: 1, rows: 2, sampled: 1 }] }, /an issue counts 2/],
    ['a sampled count that is off by one', { ...sound, issues: [{ counted: 3, sampledCounted: 2, rows: 2, sampled: 1 }, sound.issues[1]!] }, /\(2 sampled\)/],
    ['a row without an issue', { ...sound, rowsWithoutIssue: 1 }, /1 rows have no issue/],
    ['an accepted outcome too many', changed('accepted', 7), /7 outcomes say accepted, 6 events/],
    ['a duplicate that was not counted', changed('duplicate', 0), /7 error items have an outcome, 8 were answered and 1 may/],
    ['a request without an answer that was counted twice', changed('duplicate', 3), /10 error items have an outcome/],
    ['a rejected event that was not counted', changed('rejected', 0), /0 rejected events have an outcome, 1 were answered/],
    ['a negative outcome', changed('unsupported', -1), /an outcome of/],
    ['a release that counts one too few', { ...sound, released: 5 }, /releases count 5/],
    ['a unit of quota too many', { ...sound, used: 7 }, /7 units of quota are used, 6 events/],
    ['a unit of quota too few', { ...sound, used: 5 }, /5 units of quota are used, 6 events/],
    ['a lease that is still open', { ...sound, openLeases: 1 }, /1 leases are still open/],
    ['a dead letter', { ...sound, deadLetters: 1 }, /1 dead letters/],
  ])('%s', (_what, stored, finding) => {
    const findings = checkProject(ledgerOf(unlimited), stored, open)
    expect(findings.join('\n')).toMatch(finding)
  })

  test('one event above the limit', () => {
    const stored = withEvents([0, 1, 2, 3, 4, 5, 6].map(id), limit + 1)
    const findings = checkProject(ledgerOf(limited), stored, usedUp)
    expect(findings).toEqual([
      'limited: 7 events are stored, 6 are allowed and 0 while Postgres was unavailable',
    ])
    expect(checkProject(ledgerOf(limited), stored, { ...usedUp, allowance: 1 })).toEqual([])
  })

  test('one event below the limit, although more were offered', () => {
    const ledger = new RoundLedger(limited)
    for (let counter = 0; counter < 5; counter += 1) {
      ledger.record({ ...alone, events: [counter] }, { kind: 'answered', status: 200 })
    }
    const outcomes = [{ outcome: 'accepted', reason: '', category: 'error', quantity: 5 }]
    const stored = { ...withEvents([0, 1, 2, 3, 4].map(id), 5), outcomes, sessions: 0 }
    expect(checkProject(ledger, stored, open)).toEqual([])
    expect(checkProject(ledger, stored, usedUp)).toEqual([
      'limited: 5 events are stored although more than the 6 allowed were offered',
    ])
  })

  test('a 429 without a limit, and an unexpected status, are found', () => {
    const ledger = new RoundLedger(unlimited)
    for (const status of [429, 500]) {
      ledger.record({ ...alone, events: [] }, { kind: 'answered', status })
    }
    const nothing = { ...withEvents([], 0), outcomes: [], sessions: 0 }
    expect(checkProject(ledger, nothing, open)).toEqual([
      'unlimited: 1 requests were answered 429',
      'unlimited: 1 requests were answered 500',
    ])
  })
})

/** The consistent project with one quantity changed. */
function changed(outcome: string, quantity: number): StoredProject {
  const outcomes = sound.outcomes.map((row) =>
    row.outcome === outcome && row.category !== 'session' ? { ...row, quantity } : row,
  )
  return { ...sound, outcomes }
}
