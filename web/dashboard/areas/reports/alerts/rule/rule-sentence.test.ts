import { expect, test } from 'vitest'
import type { ConditionType, RuleDraft, TargetType } from './draft.ts'
import { newCondition, newDraft } from './draft.ts'
import { ruleSentence, ruleSentences, targetWords } from './rule-sentence.ts'
import { conditionGroups, durationWords } from './rule-words.ts'

const draft = newDraft()

test('a new rule', () => {
  expect(ruleSentences(draft)).toEqual([
    'When a new issue appears, email the owners.',
    'About the same issue at most once in 30 minutes.',
    'After a notification, those of the next 10 minutes are sent as one digest.',
  ])
})

// biome-ignore format: the columns are the point
test.each<[ConditionType, Readonly<Record<string, unknown>>, string]>([
  ['event_count',       { threshold: 1_500, window_seconds: 3_600 },                          'an issue has more than 1,500 events in 1 hour'],
  ['event_count',       { threshold: 50, window_seconds: 300, compared_to: 'previous_window' }, 'an issue has 50 % more events in 5 minutes than in the 5 minutes before'],
  ['user_count',        { threshold: 10, window_seconds: 86_400 },                            'an issue affects more than 10 users in 1 day'],
  ['event_count',       {},                                                                   'an issue has more than … events in …'],
  ['monitor_failed',    {},                                                                   'a run of a monitor is missed, fails or overruns'],
  ['monitor_failed',    { kinds: ['missed'] },                                                'a run of a monitor is missed'],
  ['crash_free_rate',   { below_percent: 99.5, sessions_min: 100, window_seconds: 86_400 },   'less than 99.5 % of at least 100 sessions in 1 day are crash-free'],
  ['quota',             { percents: [80, 100] },                                              '80 % or 100 % of the monthly events are used'],
  ['outcomes',          { outcomes: ['rejected', 'client_discard'], percent: 10, items_min: 100, window_seconds: 3_600 }, 'more than 10 % of at least 100 items in 1 hour are rejected or dropped by clients'],
  ['bounce_rate',       { above_percent: 5, emails_min: 100, window_seconds: 86_400 },        'more than 5 % of at least 100 emails in 1 day bounce'],
  ['idea_status',       { to: ['Planned', 'Started'] },                                       'the status of an idea changes to Planned or Started'],
])('%s %j', (type, fields, words) => {
  const when = [{ key: '1', type, fields }]
  expect(ruleSentence({ ...draft, when })).toBe(`When ${words}, email the owners.`)
})

test('every condition has words', () => {
  const types = conditionGroups.flatMap(({ types: all }) => all.map(({ type }) => type))
  expect(types).toHaveLength(15)
  for (const type of types) {
    const sentence = ruleSentence({ ...draft, when: [newCondition(type)] })
    expect(sentence).not.toMatch(/undefined|…|NaN/)
  }
})

test('the filter is told where it applies', () => {
  const filter = { environment: ['production'], level: ['error', 'fatal'], query: '!release:*-rc*' }
  const given: RuleDraft = { ...draft, if: filter as RuleDraft['if'] }
  expect(ruleSentence(given)).toBe(
    'When a new issue appears (in production; level error or fatal; matching !release:*-rc*), email the owners.',
  )
  const monitors = { ...given, when: [newCondition('monitor_recovered')] }
  expect(ruleSentence(monitors)).toBe('When a monitor recovers (in production), email the owners.')
  const ideas = { ...given, when: [newCondition('new_idea')] }
  expect(ruleSentence(ideas)).toBe('When a new idea arrives, email the owners.')
})

// biome-ignore format: the columns are the point
test.each<[TargetType, Readonly<Record<string, unknown>>, string]>([
  ['email',     { to: ['owners', 'team:ops', 'ada@shop.test'] },  'email the owners, the team ops and ada@shop.test'],
  ['email',     { to: [] },                                       'email …'],
  ['webhook',   { url: 'https://hooks.shop.test/secret-path' },   'post to the webhook hooks.shop.test'],
  ['webhook',   { url: 'not a url' },                             'post to the webhook …'],
  ['telegram',  { chat_id: '@ops' },                              'message @ops on Telegram'],
  ['pagerduty', {},                                               'trigger PagerDuty'],
])('%s %j', (type, fields, words) => {
  expect(targetWords({ key: '1', type, fields, enabled: true })).toBe(words)
})

test('quiet hours name their days', () => {
  const quiet = { from: '22:00', to: '06:00', timezone: 'Europe/Berlin', days: [5, 1] }
  expect(ruleSentences({ ...draft, quiet_hours: quiet })).toContain(
    'Held back from 22:00 to 06:00 on Mondays and Fridays, Europe/Berlin, and then sent as one digest.',
  )
})

test.each([
  [60, '1 minute'],
  [5_400, '90 minutes'],
  [7_200, '2 hours'],
  [604_800, '7 days'],
  [61, '61 seconds'],
  [undefined, '…'],
  [Number.NaN, '…'],
])('%s seconds are %s', (seconds, words) => {
  expect(durationWords(seconds)).toBe(words)
})
