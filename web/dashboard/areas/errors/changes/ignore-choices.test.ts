import { expect, test } from 'vitest'
import { ignoreChoices, snoozeChoices } from './ignore-choices.ts'

const now = Date.UTC(2026, 10, 21)
const labels = (text: string) => ignoreChoices(text, now).map(({ label }) => label)

test('without a number, the usual ways are offered, escalation first', () => {
  expect(labels('')[0]).toBe('Until it escalates')
  expect(labels('forever')).toEqual(['Forever'])
})

test.each([
  ['250', 'Until 250 more events', { events: 250 }],
  ['250 us', 'Until 250 more users', { users: 250 }],
  ['3 day', 'For 3 days', { at: '2026-11-24T00:00:00.000Z' }],
  ['1 hour', 'For 1 hour', { at: '2026-11-21T01:00:00.000Z' }],
])('%j is %s', (text, label, until) => {
  const found = ignoreChoices(text, now).find((choice) => choice.label === label)
  expect(found?.change).toEqual({ ignore_until: until })
})

test('numbers that the API refuses are not offered', () => {
  expect(labels('200000')).toEqual(['Until 200,000 more events'])
  expect(labels('99999999999')).toEqual([])
  expect(labels('0')).not.toContain('Until 0 more events')
})

test('snoozing takes times only', () => {
  expect(snoozeChoices('2', now).map(({ label }) => label)).toEqual(['For 2 hours', 'For 2 days'])
  expect(snoozeChoices('', now)[0]?.change).toEqual({ snooze_until: '2026-11-21T01:00:00.000Z' })
})
