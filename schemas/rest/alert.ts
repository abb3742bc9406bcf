/** Alert rules, their targets and what they delivered (http-api: Alerts). */
import { z } from 'zod'
import { levels } from './issue.ts'
import { FilterText, PageQuery, SearchQueryText } from './page.ts'

export const rulesPerProjectMax = 100
export const targetsPerRuleMax = 10
export const conditionsPerRuleMax = 10
const valuesMax = 50
const nameCharactersMax = 200
const urlCharactersMax = 2_000
export const windowSecondsMin = 60
export const windowSecondsMax = 7 * 86_400
export const thresholdMax = 1_000_000
/** Distinct users are remembered one by one. */
export const userThresholdMax = 10_000

const window_seconds = z.number().int().min(windowSecondsMin).max(windowSecondsMax)
const threshold = z.number().int().min(1).max(thresholdMax)
const compared_to = z
  .enum(['absolute', 'previous_window'])
  .default('absolute')
  .describe(
    'absolute: more than `threshold` in the window. previous_window: `threshold` percent more than in the window before.',
  )

/** Conditions about one issue: `if` and `cooldown_seconds` apply to them. */
const issueConditions = [
  z.strictObject({ type: z.literal('new_issue') }),
  z.strictObject({ type: z.literal('regression') }),
  z.strictObject({ type: z.literal('escalation') }),
  z.strictObject({ type: z.literal('first_in_release') }),
  z.strictObject({ type: z.literal('event_count'), threshold, window_seconds, compared_to }),
  z.strictObject({
    type: z.literal('user_count'),
    threshold: z.number().int().min(1).max(userThresholdMax),
    window_seconds,
    compared_to,
  }),
] as const

const percent = z.number().min(0).max(100)
/** Conditions about a monitor, a measure of the project or the organization, an idea or feedback. */
const otherConditions = [
  z.strictObject({
    type: z.literal('monitor_failed'),
    kinds: z
      .array(z.enum(['missed', 'error', 'overrunning']))
      .min(1)
      .optional()
      .describe('Default: all of them.'),
  }),
  z.strictObject({ type: z.literal('monitor_recovered') }),
  z.strictObject({
    type: z.literal('crash_free_rate'),
    of: z.enum(['sessions', 'users']).default('sessions'),
    below_percent: percent,
    window_seconds: z.number().int().min(3_600).max(windowSecondsMax).default(86_400),
    sessions_min: z
      .number()
      .int()
      .min(1)
      .default(100)
      .describe('With fewer sessions it stays silent.'),
  }),
  z.strictObject({
    type: z.literal('quota'),
    percents: z
      .array(z.union([z.literal(50), z.literal(80), z.literal(100)]))
      .min(1)
      .max(3)
      .default([50, 80, 100]),
  }),
  z.strictObject({
    type: z.literal('outcomes'),
    outcomes: z
      .array(z.enum(['rejected', 'over_quota', 'filtered', 'unsupported', 'client_discard']))
      .min(1)
      .default(['rejected', 'client_discard']),
    percent: percent.default(10).describe('Of all items of the window.'),
    items_min: z.number().int().min(1).default(100),
    window_seconds: z.number().int().min(3_600).max(86_400).default(3_600),
  }),
  z.strictObject({
    type: z.literal('bounce_rate'),
    of: z.enum(['bounces', 'complaints']).default('bounces'),
    above_percent: percent,
    emails_min: z.number().int().min(1).default(100),
    window_seconds: z.number().int().min(3_600).max(windowSecondsMax).default(86_400),
  }),
  z.strictObject({ type: z.literal('new_idea') }),
  z.strictObject({
    type: z.literal('idea_status'),
    to: z.array(z.string().max(50)).min(1).max(20).optional(),
  }),
  z.strictObject({ type: z.literal('new_feedback') }),
] as const

export const AlertCondition = z.discriminatedUnion('type', [...issueConditions, ...otherConditions])
export type AlertCondition = z.infer<typeof AlertCondition>
export const issueConditionTypes = issueConditions.map((one) => one.shape.type.value)
export type IssueConditionType = (typeof issueConditionTypes)[number]

const texts = z.array(FilterText).min(1).max(valuesMax)

/** What the event must be, for conditions about an issue. All that are given must hold. */
export const AlertFilter = z.strictObject({
  environment: texts.optional(),
  level: z.array(z.enum(levels)).min(1).optional(),
  component: texts.optional(),
  release: texts.optional().describe('Globs (`*`).'),
  tags: z
    .record(z.string().min(1).max(200), texts)
    .optional()
    .describe('By key: one of the values, as globs (`*`).'),
  query: SearchQueryText.optional().describe('A search query; its terms must match the event.'),
})
export type AlertFilter = z.infer<typeof AlertFilter>

const url = z.url().max(urlCharactersMax)
const secretText = z.string().min(1).max(500)

export const AlertTarget = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('email'),
    to: z
      .array(z.string().min(1).max(320))
      .min(1)
      .max(20)
      .describe('`owners`, `assignee`, `team:<slug>`, the id of a person, or an email address.'),
  }),
  z.strictObject({ type: z.literal('webhook'), url }),
  z.strictObject({ type: z.literal('slack'), url }),
  z.strictObject({ type: z.literal('discord'), url }),
  z.strictObject({ type: z.literal('teams'), url }),
  z.strictObject({
    type: z.literal('telegram'),
    bot_token: secretText,
    chat_id: z.string().min(1).max(100),
  }),
  z.strictObject({
    type: z.literal('ntfy'),
    url: url.describe('With the topic: https://ntfy.sh/my-topic'),
    token: secretText.optional(),
  }),
  z.strictObject({ type: z.literal('pagerduty'), routing_key: secretText }),
  z.strictObject({
    type: z.literal('opsgenie'),
    api_key: secretText,
    region: z.enum(['us', 'eu']).default('us'),
  }),
])
export type AlertTarget = z.infer<typeof AlertTarget>
export type AlertTargetType = AlertTarget['type']

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00')
export const QuietHours = z.strictObject({
  from: timeOfDay,
  to: timeOfDay,
  timezone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .describe('A name of the IANA time zone database.'),
  days: z
    .array(z.number().int().min(1).max(7))
    .min(1)
    .max(7)
    .optional()
    .describe('Days on which they begin, Monday is 1. Default: every day.'),
})
export type QuietHours = z.infer<typeof QuietHours>

export const AlertRuleInput = z
  .strictObject({
    name: z.string().trim().min(1).max(nameCharactersMax),
    enabled: z.boolean().default(true),
    when: z
      .array(AlertCondition)
      .min(1)
      .max(conditionsPerRuleMax)
      .describe('One of them must hold.'),
    if: AlertFilter.default({}),
    then: z.array(AlertTarget).min(1).max(targetsPerRuleMax),
    cooldown_seconds: z
      .number()
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(1_800)
      .describe('After it fired about an issue, the rule is silent about it for this long.'),
    digest_seconds: z
      .number()
      .int()
      .min(60)
      .max(86_400)
      .default(600)
      .describe(
        'After a notification, everything that fires in this time is collected into the next one.',
      ),
    quiet_hours: QuietHours.nullable()
      .default(null)
      .describe('What fires in them is sent afterwards, in one digest.'),
    muted_until: z.iso.datetime({ offset: true }).nullable().default(null),
  })
  .meta({
    id: 'AlertRuleInput',
    example: {
      name: 'New in production',
      when: [{ type: 'new_issue' }, { type: 'regression' }],
      if: { environment: ['production'], level: ['error', 'fatal'] },
      then: [{ type: 'email', to: ['owners'] }],
      cooldown_seconds: 1800,
      digest_seconds: 600,
    },
  })
export type AlertRuleInput = z.infer<typeof AlertRuleInput>

/** What is stored of a rule in `alert_rules.conditions`. */
export const StoredConditions = z.object({
  when: z.array(AlertCondition),
  if: AlertFilter,
  quiet_hours: QuietHours.nullable(),
})
export type StoredConditions = z.infer<typeof StoredConditions>

export const AlertListQuery = z.strictObject({ ...PageQuery })
