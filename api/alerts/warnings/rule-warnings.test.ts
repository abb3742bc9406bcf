// cspell:ignore qeue
import { expect, test } from 'vitest'
import { AlertFilter, QuietHours } from '#schemas/rest/alerts/alert.ts'
import { AlertCondition } from '#schemas/rest/alerts/condition.ts'
import { termsOf } from '../check-rule.ts'
import type { ProjectFacts } from './rule-facts.ts'
import { type JudgedTarget, ruleWarnings } from './rule-warnings.ts'

const facts: ProjectFacts = {
  seen: {
    environment: new Set(['production', 'staging']),
    level: new Set(['error', 'warning']),
    component: new Set(['', 'worker']),
    release: new Set(['shop@1.0.0', 'shop@1.1.0-rc1']),
  },
  unknownTags: new Map([
    ['qeue', ['queue']],
    ['other', []],
  ]),
  hasEvents: true,
  hasMonitors: true,
  hasSessions: true,
  hasQuota: true,
  retentionDays: undefined,
  recipientProblems: new Map([['team:gone', 'reaches nobody']]),
}

interface Tried {
  readonly when?: readonly object[]
  readonly if?: object
  readonly then?: readonly JudgedTarget[]
  readonly quiet_hours?: object
}

/** The fields of the warnings. */
function flagged(rule: Tried, known: Partial<ProjectFacts> = {}): string[] {
  const filter = AlertFilter.parse(rule.if ?? {})
  const warnings = ruleWarnings(
    {
      when: (rule.when ?? [{ type: 'new_issue' }]).map((one) => AlertCondition.parse(one)),
      if: filter,
      terms: termsOf(filter),
      then: rule.then ?? [{ type: 'email', to: ['owners'] }],
      quiet_hours: rule.quiet_hours === undefined ? null : QuietHours.parse(rule.quiet_hours),
    },
    { ...facts, ...known },
  )
  return warnings.map(({ field }) => field)
}

const production = { environment: ['production'] }
const monitor = { type: 'monitor_failed' }
const rate = { type: 'crash_free_rate', below_percent: 99 }
const to = (...recipients: string[]): JudgedTarget => ({ type: 'email', to: recipients })

// biome-ignore format: the columns are the point
test.each<[name: string, rule: Tried, fields: string[], known?: Partial<ProjectFacts>]>([
  ['a usual rule',                { if: { ...production, level: ['error', 'fatal'], query: '!release:*-rc* user.id:7' } }, []],
  // Conditions that exclude each other.
  ['a list and a query',          { if: { ...production, query: 'environment:staging' } },                    ['if.query']],
  ['a list and a longer query',   { if: { ...production, query: 'environment:[staging, production]' } },      []],
  ['a list and its negation',     { if: { ...production, query: '!environment:production' } },                ['if.query']],
  ['half of a list negated',      { if: { environment: ['production', 'staging'], query: '!environment:staging' } }, []],
  ['a negation by a star',        { if: { ...production, query: '!environment:prod*' } },                     ['if.query']],
  ['a negation of everything',    { if: { query: '!environment:* environment:production' } },                 ['if.query']],
  ['levels',                      { if: { level: ['error'], query: 'level:warning' } },                       ['if.query']],
  ['two levels in a query',       { if: { query: 'level:warning level:error' } },                             ['if.query']],
  ['the same level twice',        { if: { query: 'level:error level:error' } },                               []],
  ['an absent field',             { if: { ...production, query: '!has:environment' } },                       ['if.query']],
  ['releases by globs',           { if: { release: ['shop@1.*'], query: 'release:shop@2*' } },                   ['if.query']],
  ['releases that overlap',       { if: { release: ['shop@1.*'], query: 'release:*-rc1' } },                  []],
  ['tags',                        { if: { tags: { host: ['a*'] }, query: 'host:b' } },                        ['if.query']],
  ['a tag with a field name',     { if: { ...production, query: 'tags[environment]:staging' } },              []],
  ['texts are not compared',      { if: { query: 'title:a title:b "free text"' } },                           []],
  ['a filter without an issue',   { when: [monitor], if: { level: ['error'] } },                             ['if']],
  ['a filter of a quota',         { when: [{ type: 'quota', percents: [80] }], if: production },             ['if']],
  ['a filter beside an issue',    { when: [monitor, { type: 'new_issue' }], if: production },                 []],
  ['an empty filter',             { when: [monitor], if: { query: '' } },                                    []],
  // Tags that do not occur.
  ['a known tag in a query',      { if: { query: 'queue:mail has:queue' } },                                 []],
  ['an unknown tag in a query',   { if: { query: 'level:error (qeue:mail OR level:fatal)' } },                ['if.query']],
  ['an unknown tag after has',    { if: { query: '!has:qeue' } },                                             ['if.query']],
  ['an unknown tag in brackets',  { if: { query: 'tags[other]:a has:level' } },                          ['if.query']],
  ['unknown tags',                { if: { tags: { qeue: ['mail'], other: ['a'], queue: ['b'] } } },           ['if.tags.qeue', 'if.tags.other']],
  // Values that do not occur.
  ['an unseen environment',       { if: { environment: ['production', 'production-2'] } },                       ['if.environment.1']],
  ['an environment in capitals',  { if: { environment: ['Production'] } },                                   ['if.environment.0']],
  ['an unseen component',         { if: { component: ['api'] } },                                            ['if.component.0']],
  ['an unseen release',           { if: { release: ['shop@1.*', 'shop@2.*'] } },                              ['if.release.1']],
  ['an unseen level of several',  { if: { level: ['error', 'fatal'] } },                                      []],
  ['unseen levels',               { if: { level: ['fatal', 'debug'] } },                                      ['if.level']],
  ['a project without events',    { if: { environment: ['x'], level: ['fatal'] } },                           [], { hasEvents: false }],
  ['too many environments',       { if: { environment: ['x'] } },                                            [], { seen: { ...facts.seen, environment: undefined } }],
  // Conditions that never hold.
  ['no monitor',                  { when: [monitor, { type: 'monitor_recovered' }] },                         ['when.0', 'when.1'], { hasMonitors: false }],
  ['no sessions',                 { when: [rate] },                                                          ['when.0'], { hasSessions: false }],
  ['unknown sessions',            { when: [rate] },                                                          [], { hasSessions: undefined }],
  ['a rate below nothing',        { when: [{ ...rate, below_percent: 0 }] },                                  ['when.0']],
  ['a rate above everything',     { when: [{ type: 'bounce_rate', above_percent: 100 }] },                    ['when.0']],
  ['no quota',                    { when: [{ type: 'quota' }] },                                             ['when.0'], { hasQuota: false }],
  ['the same condition twice',    { when: [{ type: 'new_issue' }, { type: 'new_issue' }] },                   ['when.1']],
  ['a window beyond retention',   { when: [{ type: 'event_count', threshold: 1, window_seconds: 172_800 }] }, ['when.0.window_seconds'], { retentionDays: 1 }],
  ['two windows beyond it',       { when: [{ type: 'event_count', threshold: 1, window_seconds: 172_800, compared_to: 'previous_window' }] }, ['when.0.window_seconds'], { retentionDays: 3 }],
  ['a window within retention',   { when: [{ type: 'event_count', threshold: 1, window_seconds: 172_800 }] }, [], { retentionDays: 2 }],
  // Targets.
  ['a team that is gone',         { then: [to('owners', 'team:gone')] },                                     ['then.0.to.1']],
  ['an assignee without issues',  { when: [monitor], then: [to('assignee')] },                                ['then.0.to.0']],
  ['an assignee',                 { then: [to('assignee')] },                                                []],
  ['a disabled target',           { then: [to('owners'), { type: 'slack', enabled: false }] },                ['then.1']],
  ['only disabled targets',       { then: [{ type: 'slack', enabled: false }] },                              ['then.0', 'then']],
  ['a paused target',             { then: [{ type: 'slack', enabled: true, paused_until: '2026-11-21T02:00:00Z' }] }, ['then.0']],
  // Quiet hours.
  ['a quiet week',                { quiet_hours: { from: '08:00', to: '08:00' } },                            ['quiet_hours']],
  ['a quiet week by days',        { quiet_hours: { from: '00:00', to: '00:00', days: [1, 2, 3, 4, 5, 6, 7] } }, ['quiet_hours']],
  ['six quiet days',              { quiet_hours: { from: '00:00', to: '00:00', days: [1, 2, 3, 4, 5, 6] } },   []],
  ['quiet nights',                { quiet_hours: { from: '22:00', to: '06:00' } },                            []],
])('%s', (_name, rule, fields, known) => {
  expect(flagged(rule, known)).toEqual(fields)
})

test('a rule of hostile globs is judged within the time of a test', () => {
  const glob = `${'*a'.repeat(90)}b`
  const query = Array.from({ length: 10 }, () => `release:${'*a'.repeat(40)}c`).join(' ')
  // Not compared to the end, so nothing is found; without a bound it takes minutes.
  const filter = { release: Array(15).fill(glob), query: query.slice(0, 990) }
  for (let count = 0; count < 100; count += 1) flagged({ if: filter })
  expect(flagged({ if: filter })).not.toContain('if.query.0')
})
