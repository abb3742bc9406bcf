import { expect, test } from 'vitest'
import { countWords, outcomeOf, type Run, timeOf } from './run-look.ts'

const run: Run = {
  id: '1',
  status: 'closed',
  result: 'ok',
  environment: 'production',
  expected_at: null,
  started_at: '2026-11-23T10:00:00.000Z',
  closed_at: null,
  duration_ms: null,
  release: null,
  trace_id: null,
  event_id: null,
}

test.each([
  [{ status: 'closed', result: 'ok' }, 'ok'],
  [{ status: 'closed', result: 'error' }, 'error'],
  // A run that was reported too late has a result, too.
  [{ status: 'overrunning', result: 'ok' }, 'overrunning'],
  [{ status: 'missed', result: null }, 'missed'],
  [{ status: 'running', result: null }, 'running'],
] as const)('%j is %s', (state, outcome) => {
  expect(outcomeOf(state)).toBe(outcome)
})

test('runs are counted by outcome', () => {
  expect(countWords([run, run, { ...run, status: 'missed', result: null }])).toBe('2 OK, 1 missed')
  expect(countWords([])).toBe('no runs')
})

test('a missed run has the time at which it was expected', () => {
  const missed = { ...run, started_at: null, expected_at: '2026-11-23T11:00:00.000Z' }
  expect(timeOf(missed)).toBe('2026-11-23T11:00:00.000Z')
})
