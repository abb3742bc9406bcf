import { describe, expect, test } from 'vitest'
import {
  answerWords,
  dropSeries,
  type OutcomeRow,
  receivedSeries,
  splitSeries,
  sumOutcomes,
  timesOf,
} from './outcome-sums.ts'
import { outcomeNames, reasonWords } from './reason-words.ts'

const [first, second] = ['2026-11-23T10:00:00.000Z', '2026-11-23T11:00:00.000Z'] as const
const times = [first, second]
const items: readonly OutcomeRow[] = [
  { at: first, outcome: 'accepted', reason: null, category: 'error', quantity: 90 },
  { at: second, outcome: 'accepted', reason: null, category: 'session', quantity: 10 },
  { at: second, outcome: 'over_quota', reason: null, category: 'error', quantity: 20 },
  { at: second, outcome: 'rejected', reason: 'too_large', category: 'error', quantity: 3 },
  { at: first, outcome: 'rejected', reason: 'too_large', category: 'feedback', quantity: 4 },
  { at: first, outcome: 'duplicate', reason: null, category: 'error', quantity: 5 },
  { at: first, outcome: 'client_discard', reason: 'sample_rate', category: 'error', quantity: 50 },
]

test('sums distinguish what was received and lost from what was never sent', () => {
  const sums = sumOutcomes(items, times)
  expect(sums).toMatchObject({
    accepted: 100,
    dropped: 27,
    duplicates: 5,
    neverSent: 50,
    received: 132,
  })
  expect(sums.reasons.map(({ id, quantity }) => [id, quantity])).toEqual([
    ['client_discard:sample_rate', 50],
    ['over_quota:', 20],
    ['rejected:too_large', 7],
    ['duplicate:', 5],
  ])
  const tooLarge = sums.reasons[2]
  expect(tooLarge?.values).toEqual([4, 3])
  expect(tooLarge?.categories).toEqual([
    { category: 'feedback', quantity: 4 },
    { category: 'error', quantity: 3 },
  ])
})

test('the chart has one series for each outcome that occurs', () => {
  const series = dropSeries(sumOutcomes(items, times))
  expect(series.map(({ name, values }) => [name, values])).toEqual([
    ['Over quota', [0, 20]],
    ['Rejected', [4, 3]],
    ['Duplicate', [5, 0]],
    ['Dropped by clients', [50, 0]],
  ])
  expect(receivedSeries(items, times).map(({ values }) => values)).toEqual([
    [90, 10],
    [4, 23],
  ])
})

test('the first line answers what was dropped and why', () => {
  expect(answerWords(sumOutcomes(items, times), '24 hours')).toBe(
    '132 items received in the last 24 hours, 27 of them dropped (20.4 %). Most of them, 20: monthly quota used up (errors).',
  )
  expect(answerWords(sumOutcomes(items.slice(0, 2), times), '7 days')).toBe(
    '100 items received in the last 7 days, and nothing was dropped.',
  )
  expect(answerWords(sumOutcomes([], times), '7 days')).toBe(
    'Nothing was received in the last 7 days',
  )
  expect(answerWords(sumOutcomes(items.slice(2, 3), times), '24 hours')).toContain('All of them')
})

test('times are full hours or days up to now', () => {
  const nowMs = Date.parse('2026-11-23T11:20:00.000Z')
  expect(timesOf(first, nowMs, 'hour')).toEqual([first, second])
  expect(timesOf('2026-11-22T05:00:00.000Z', nowMs, 'day')).toEqual([
    '2026-11-22T00:00:00.000Z',
    '2026-11-23T00:00:00.000Z',
  ])
})

test('every reason has words, also one that is unknown', () => {
  const known = [
    'malformed_envelope',
    'invalid_json',
    'invalid_event',
    'invalid_check_in',
    'invalid_feedback',
    'invalid_session',
    'invalid_monitor_config',
    'too_large',
    'too_deep',
    'too_many_items',
    'bad_encoding',
    'origin_not_allowed',
    'invalid_attachment',
    'storage_unavailable',
    'undigestible',
    'check_in_rate',
    'check_in_id_in_use',
    'check_in_already_finished',
    'too_many_runs',
    'too_many_environments',
    'too_many_monitors',
    'monitor_deleted',
  ]
  for (const reason of known) expect(reasonWords('rejected', reason).title).not.toBe(reason)
  for (const outcome of Object.keys(outcomeNames)) {
    expect(reasonWords(outcome, 'from the future').action).not.toBe('')
  }
  expect(reasonWords('filtered', 'filtered:releases').title).toBe('Release is filtered')
  expect(reasonWords('unsupported', 'unsupported:transaction').title).toBe(
    'Not stored: transaction',
  )
})

describe('a chart by SDK', () => {
  const row = (sdk: string | null, at: number, quantity: number) => ({
    sdk,
    at: times[at] ?? 'outside of the chart',
    quantity,
  })
  const nameOf = (value: string) => (value === 'none' ? 'unknown' : value)

  test('has the most frequent first, and a name for none', () => {
    const rows = [row('sentry.go', 0, 1), row(null, 1, 5), row('sentry.go', 1, 2), row('x', 2, 1)]
    expect(splitSeries(rows, times, 'sdk', nameOf)).toEqual([
      { name: 'unknown', values: [0, 5], color: 1 },
      { name: 'sentry.go', values: [1, 2], color: 2 },
      { name: 'x', values: [0, 0], color: 3 },
    ])
  })

  test('draws at most six lines, the last of all others', () => {
    const rows = Array.from({ length: 9 }, (_, index) => row(`sdk-${index}`, 0, 9 - index))
    const series = splitSeries(rows, times, 'sdk', nameOf)
    expect(series.map(({ name }) => name).slice(-2)).toEqual(['sdk-4', 'Others'])
    expect(series.map(({ values }) => values[0])).toEqual([9, 8, 7, 6, 5, 10])
    expect(splitSeries(rows.slice(0, 6), times, 'sdk', nameOf).at(-1)?.name).toBe('sdk-5')
    expect(splitSeries([], times, 'sdk', nameOf)).toEqual([])
  })
})
