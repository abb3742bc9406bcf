/** Alert rules and their preview (http-api: Alerts). */
import { z } from 'zod'
import { levels } from '../issue.ts'
import { FilterText, Instant, pageOf, SearchQueryText } from '../page.ts'
import { AlertCondition } from './condition.ts'
import { AlertTarget, AlertTargetChange, AlertTargetItem } from './target.ts'

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

const id = z.guid()
const time = z.string().nullable()
const texts = z.array(FilterText).min(1).max(valuesMax)

const encoder = new TextEncoder()

/** What the event must be, for conditions about an issue. All that are given must hold. */
export const AlertFilter = z
  .strictObject({
    environment: texts
      .optional()
      .describe('Also of monitors, and of the sessions of a crash-free rate.'),
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
    issues: z
      .array(
        z.object({
          id: z.string(),
          short_id: z.string(),
          title: z.string(),
          firing_count: z.number().int().describe('Firings about it, also those beyond the list.'),
        }),
      )
      .describe('The 5 issues with the most firings, most first.'),
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
