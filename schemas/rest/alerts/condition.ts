/** Conditions of alert rules: the entries of `when` (http-api: Alerts). */
import { z } from 'zod'
import { ideaStatuses } from '../portal/idea.ts'

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

/** Conditions about something else that happens in an environment, by which `if` can choose. */
export const environmentConditionTypes = [
  'monitor_failed',
  'monitor_recovered',
  'crash_free_rate',
] as const satisfies readonly AlertCondition['type'][]
