import { expect, test } from 'vitest'
import type { Delivery } from '../generated/api.d.ts'
import { lastAttemptWords, subjectOf, targetName } from './delivery-look.ts'

const attempt = {
  at: '2026-11-23T10:00:00.000Z',
  status: 200,
  latency_ms: 14,
  error: null,
  response: 'ok',
}
const target = {
  id: '1',
  type: 'webhook',
  shown: { url: 'https://hooks.shop.test/x' },
  disabled_at: null,
  disabled_reason: null,
  paused_until: null,
}
const delivery: Delivery = {
  id: '1',
  at: attempt.at,
  target,
  state: 'delivered',
  is_test: false,
  attempts: [attempt],
  next_attempt_at: null,
  finished_at: attempt.at,
  payload: { type: 'issue.new', data: { reason: 'A new issue.' } },
}

test.each([
  [[], 'not attempted yet'],
  [[attempt], '200 in 14 ms'],
  [[{ ...attempt, status: 500, error: 'status 500' }], '500: status 500'],
  [[attempt, { ...attempt, status: null, error: 'connection refused' }], 'connection refused'],
  [[{ ...attempt, status: null }], 'sent in 14 ms'],
])('attempts %#', (attempts, words) => {
  expect(lastAttemptWords({ attempts })).toBe(words)
})

test.each([
  [target, 'Webhook hooks.shop.test'],
  [
    { ...target, type: 'email', shown: { to: ['owners', 'a@shop.test'] } },
    'Email owners, a@shop.test',
  ],
  [{ ...target, type: 'pagerduty', shown: {} }, 'PagerDuty'],
  [{ ...target, type: 'carrier_pigeon', shown: { url: 'no url' } }, 'carrier_pigeon'],
])('target %#', (given, name) => {
  expect(targetName({ ...delivery, target: given })).toBe(name)
})

test('the subject is the reason, or that it is a test', () => {
  expect(subjectOf(delivery)).toBe('A new issue.')
  expect(subjectOf({ ...delivery, is_test: true })).toBe('Test')
  expect(subjectOf({ ...delivery, payload: { type: 'alert.digest' } })).toBe('alert.digest')
})
