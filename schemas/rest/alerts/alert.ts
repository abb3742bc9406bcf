/** Alert rules, their targets and what they delivered (http-api: Alerts). */
import { z } from 'zod'
import { levels } from '../issue.ts'
import { FilterText, Instant, pageOf, SearchQueryText } from '../page.ts'
import { ideaStatuses } from '../portal/idea.ts'

export const rulesPerProjectMax = 100
export const targetsPerRuleMax = 10
export const conditionsPerRuleMax = 10
const valuesMax = 50
const tagKeysMax = 20
/**
 * Of all texts in `if`: workers compare every event with them, and a preview sends them in the URL
 * of a query.
 */
export const filterBytesMax = 4_000
const nameCharactersMax = 200
const urlCharactersMax = 2_000
export const recipientsPerTargetMax = 20
/** How long the secret before the last one signs along. */
export const previousSecretSeconds = 86_400
export const windowSecondsMin = 60
export const windowSecondsMax = 7 * 86_400
export const thresholdMax = 1_000_000
/** Distinct users are remembered one by one. */
export const userThresholdMax = 10_000

/** Of sessions, items or emails that a rate needs. */
const itemsMax = 1_000_000_000

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
  z
    .strictObject({ type: z.literal('regression') })
    .describe('A resolved issue returned, or a condition ended the ignoring of an issue.'),
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
/** Conditions about a monitor, a measure of a project or organization, an idea or feedback. */
const otherConditions = [
  z.strictObject({
    type: z.literal('monitor_failed'),
    kinds: z
      .array(z.enum(['missed', 'error', 'overrunning']))
      .min(1)
      .max(3)
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
      .max(itemsMax)
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
      .max(5)
      .default(['rejected', 'client_discard']),
    percent: percent.default(10).describe('Of all items of the window.'),
    items_min: z.number().int().min(1).max(itemsMax).default(100),
    window_seconds: z.number().int().min(3_600).max(86_400).default(3_600),
  }),
  z.strictObject({
    type: z.literal('bounce_rate'),
    of: z.enum(['bounces', 'complaints']).default('bounces'),
    above_percent: percent,
    emails_min: z.number().int().min(1).max(itemsMax).default(100),
    window_seconds: z.number().int().min(3_600).max(windowSecondsMax).default(86_400),
  }),
  z.strictObject({ type: z.literal('new_idea') }),
  z.strictObject({
    type: z.literal('idea_status'),
    to: z.array(z.enum(ideaStatuses)).min(1).max(ideaStatuses.length).optional(),
  }),
  z.strictObject({ type: z.literal('new_feedback') }),
] as const

export const AlertCondition = z.discriminatedUnion('type', [...issueConditions, ...otherConditions])
export type AlertCondition = z.infer<typeof AlertCondition>
export const issueConditionTypes = issueConditions.map((one) => one.shape.type.value)
export type IssueConditionType = (typeof issueConditionTypes)[number]

const texts = z.array(FilterText).min(1).max(valuesMax)

const encoder = new TextEncoder()

/** What the event must be, for conditions about an issue. All that are given must hold. */
export const AlertFilter = z
  .strictObject({
    environment: texts.optional(),
    level: z.array(z.enum(levels)).min(1).max(levels.length).optional(),
    component: texts.optional(),
    release: texts.optional().describe('Globs (`*`).'),
    tags: z
      .record(z.string().min(1).max(200), texts)
      .refine(
        (tags) => Object.keys(tags).length <= tagKeysMax,
        `must have at most ${tagKeysMax} fields`,
      )
      .optional()
      .describe('By key: one of the values, as globs (`*`).'),
    query: SearchQueryText.optional().describe('A search query; its terms must match the event.'),
    unresolved: z
      .boolean()
      .optional()
      .describe('true: only about issues that are neither resolved nor ignored at that time.'),
  })
  .refine(
    (filter) => bytesOf(filter) <= filterBytesMax,
    `must have at most ${filterBytesMax} bytes of texts in UTF-8`,
  )
export type AlertFilter = z.infer<typeof AlertFilter>

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return encoder.encode(value).length
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + bytesOf(inner) + (Array.isArray(value) ? 0 : bytesOf(name)),
    0,
  )
}

const url = z.url().max(urlCharactersMax)
/** Visible ASCII, because it becomes part of a URL or a header. */
const secretText = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must have only visible ASCII characters')
const botToken = secretText.regex(
  /^\d{1,20}:[A-Za-z0-9_-]+$/,
  'must be a token of a bot, such as 123456:ABC-DEF',
)
const chat_id = z
  .string()
  .regex(/^(?:-?\d{1,20}|@[A-Za-z0-9_]{1,100})$/, 'must be a number such as -1001234, or @channel')
const to = z
  .array(z.string().trim().min(1).max(320))
  .min(1)
  .max(recipientsPerTargetMax)
  .describe('`owners`, `assignee`, `team:<slug>`, the id of a person, or an email address.')
const ntfyUrl = url.describe('With the topic: https://ntfy.sh/my-topic')
const region = z.enum(['us', 'eu'])

export const AlertTarget = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('email'), to }),
  z.strictObject({ type: z.literal('webhook'), url }),
  z.strictObject({ type: z.literal('slack'), url }),
  z.strictObject({ type: z.literal('discord'), url }),
  z.strictObject({ type: z.literal('teams'), url }),
  z.strictObject({ type: z.literal('telegram'), bot_token: botToken, chat_id }),
  z.strictObject({ type: z.literal('ntfy'), url: ntfyUrl, token: secretText.optional() }),
  z.strictObject({ type: z.literal('pagerduty'), routing_key: secretText }),
  z.strictObject({
    type: z.literal('opsgenie'),
    api_key: secretText,
    region: region.default('us'),
  }),
])
export type AlertTarget = z.infer<typeof AlertTarget>
export type AlertTargetType = AlertTarget['type']

const time = z.string().nullable()
/** The state of a target. */
const targetState = {
  enabled: z.boolean().describe('false: nothing is sent there. Set it to true to send again.'),
  disabled_at: time,
  disabled_reason: z.string().nullable(),
  paused_until: time.describe('After several failures nothing is sent before then.'),
} as const

const id = z.guid()
const shownUrl = z.string().describe('Without the path, which is a secret.')
const shownHead = { id, ...targetState } as const

/** A target as answers show it: without secrets, except a new one of a webhook. */
export const AlertTargetItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('email'), to: z.array(z.string()), ...shownHead }),
  z.object({
    type: z.literal('webhook'),
    url: z.string(),
    secret: z
      .string()
      .optional()
      .describe('`whsec_…`, only in the answer of the request that added the target.'),
    ...shownHead,
  }),
  z.object({ type: z.literal('slack'), url: shownUrl, ...shownHead }),
  z.object({ type: z.literal('discord'), url: shownUrl, ...shownHead }),
  z.object({ type: z.literal('teams'), url: shownUrl, ...shownHead }),
  z.object({ type: z.literal('telegram'), chat_id: z.string(), ...shownHead }),
  z.object({ type: z.literal('ntfy'), url: z.string(), has_token: z.boolean(), ...shownHead }),
  z.object({ type: z.literal('pagerduty'), ...shownHead }),
  z.object({ type: z.literal('opsgenie'), region, ...shownHead }),
])
export type AlertTargetItem = z.infer<typeof AlertTargetItem>

const shownText = z.string().max(2_000).nullable().optional().describe('Ignored.')
/** What a change of a target may hold beside its settings: its id, and its state as shown. */
const changedHead = {
  id: id
    .optional()
    .describe('Of a target of the rule: it keeps its secrets. Without it: a new target.'),
  enabled: z.boolean().optional(),
  disabled_at: shownText,
  disabled_reason: shownText,
  paused_until: shownText,
} as const
const urlText = z.string().max(urlCharactersMax).optional()

/** Settings that are left out, and URLs as they are shown, keep their value. */
export const AlertTargetChange = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('email'), to: to.optional(), ...changedHead }),
  z.strictObject({ type: z.literal('webhook'), url: urlText, ...changedHead }),
  z.strictObject({ type: z.literal('slack'), url: urlText, ...changedHead }),
  z.strictObject({ type: z.literal('discord'), url: urlText, ...changedHead }),
  z.strictObject({ type: z.literal('teams'), url: urlText, ...changedHead }),
  z.strictObject({
    type: z.literal('telegram'),
    bot_token: botToken.optional(),
    chat_id: chat_id.optional(),
    ...changedHead,
  }),
  z.strictObject({
    type: z.literal('ntfy'),
    url: urlText,
    token: secretText.nullable().optional().describe('null: none.'),
    has_token: z.boolean().optional().describe('Ignored.'),
    ...changedHead,
  }),
  z.strictObject({
    type: z.literal('pagerduty'),
    routing_key: secretText.optional(),
    ...changedHead,
  }),
  z.strictObject({
    type: z.literal('opsgenie'),
    api_key: secretText.optional(),
    region: region.optional(),
    ...changedHead,
  }),
])
export type AlertTargetChange = z.infer<typeof AlertTargetChange>

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00')
export const QuietHours = z.strictObject({
  from: timeOfDay,
  to: timeOfDay.describe('If it is not after `from`, on the next day.'),
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

/** Fields without their defaults, which a change must not set. */
const fields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(nameCharactersMax)
    .regex(/^\P{Cc}*$/u, 'must not have control characters'),
  enabled: z.boolean(),
  when: z.array(AlertCondition).min(1).max(conditionsPerRuleMax).describe('One of them must hold.'),
  if: AlertFilter,
  cooldown_seconds: z
    .number()
    .int()
    .min(0)
    .max(30 * 86_400)
    .describe('After it fired about an issue, the rule is silent about it for this long.'),
  digest_seconds: z
    .number()
    .int()
    .min(60)
    .max(86_400)
    .describe('After a notification, all that fires in this time is collected into the next one.'),
  quiet_hours: QuietHours.nullable().describe(
    'What fires in them is sent afterwards, in one digest.',
  ),
  muted_until: Instant.nullable().describe('Nothing is sent before then; firings are recorded.'),
} as const

const then = z.array(AlertTarget).min(1).max(targetsPerRuleMax)
const changedThen = z.array(AlertTargetChange).max(targetsPerRuleMax)

const withDefaults = {
  name: fields.name,
  enabled: fields.enabled.default(true),
  when: fields.when,
  if: fields.if.default({}),
  cooldown_seconds: fields.cooldown_seconds.default(1_800),
  digest_seconds: fields.digest_seconds.default(600),
  quiet_hours: fields.quiet_hours.default(null),
  muted_until: fields.muted_until.default(null),
} as const

const inputExample = {
  name: 'New in production',
  when: [{ type: 'new_issue' as const }, { type: 'regression' as const }],
  if: { environment: ['production'], level: ['error' as const, 'fatal' as const] },
  then: [{ type: 'email' as const, to: ['owners'] }],
  cooldown_seconds: 1800,
  digest_seconds: 600,
}

export const AlertRuleInput = z
  .strictObject({ ...withDefaults, then })
  .meta({ id: 'NewAlertRule', example: inputExample })
export type AlertRuleInput = z.infer<typeof AlertRuleInput>

/** A field that is left out keeps its value. */
export const AlertRuleChange = z
  .strictObject(fields)
  .partial()
  .extend({
    then: changedThen
      .min(1)
      .optional()
      .describe('All targets of the rule; one that is left out is deleted.'),
  })
  .meta({ id: 'AlertRuleChange', example: { muted_until: '2026-11-21T08:00:00Z' } })
export type AlertRuleChange = z.infer<typeof AlertRuleChange>

/** Targets matter for the warnings only. */
export const AlertPreviewInput = z
  .strictObject({ ...withDefaults, then: changedThen.default([]) })
  .meta({ id: 'PreviewedAlertRule', example: inputExample })
export type AlertPreviewInput = z.infer<typeof AlertPreviewInput>

/** What is stored of a rule in `alert_rules.conditions`. */
export const StoredConditions = z.object({
  when: z.array(AlertCondition),
  if: AlertFilter,
  quiet_hours: QuietHours.nullable(),
})
export type StoredConditions = z.infer<typeof StoredConditions>

export const AlertWarning = z
  .object({ field: z.string(), rule: z.string() })
  .meta({ id: 'AlertWarning' })
export type AlertWarning = z.infer<typeof AlertWarning>

const warnings = z
  .array(AlertWarning)
  .describe('Why the rule, or a part of it, never fires or reaches nobody.')

export const AlertRuleItem = z
  .object({
    id,
    ...fields,
    muted_until: time,
    then: z.array(AlertTargetItem),
    is_default: z.boolean().describe('The rule that the project began with.'),
    last_fired_at: time,
    created_at: z.string(),
    updated_at: z.string(),
    warnings,
  })
  .meta({ id: 'AlertRule' })
export type AlertRuleItem = z.infer<typeof AlertRuleItem>

export const AlertList = pageOf(AlertRuleItem).meta({ id: 'AlertList' })

export const RotateSecretInput = z
  .strictObject({
    target_id: id.optional().describe('Required if the rule has several webhooks.'),
  })
  .meta({ id: 'RotateSecretRequest', example: {} })

export const RotatedSecret = z
  .object({
    target_id: id,
    secret: z.string().describe('The new secret, in this answer only.'),
    previous_secret_until: z.string().describe('Until then every request has two signatures.'),
  })
  .meta({ id: 'RotatedSecret' })
export type RotatedSecret = z.infer<typeof RotatedSecret>

export const AlertPreview = z
  .object({
    would_have_fired: z
      .array(z.object({ at: z.string(), issue_id: z.string().nullable(), reason: z.string() }))
      .describe('Newest first.'),
    warnings,
    since: z.string().describe('The time from which on events were examined.'),
    more: z.boolean().describe('There were more firings, or more events than are examined.'),
    notification_count: z
      .number()
      .int()
      .describe('How many notifications these firings would have been, after digests.'),
    unexamined: z
      .array(z.string())
      .describe('Types of conditions that the preview does not cover.'),
  })
  .meta({ id: 'AlertPreview' })
export type AlertPreview = z.infer<typeof AlertPreview>
