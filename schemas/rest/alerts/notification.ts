/**
 * What a notification says: the body of a webhook, and what every other channel writes its message
 * from. It is stored with the delivery, so later versions read those of earlier ones: fields are
 * added, never renamed.
 */
import { z } from 'zod'
import type { AlertCondition } from './condition.ts'

export const notificationTypes = [
  'issue.new',
  'issue.regression',
  'issue.escalation',
  'issue.first_in_release',
  'issue.event_count',
  'issue.user_count',
  'monitor.failed',
  'monitor.recovered',
  'project.crash_free_rate',
  'project.quota',
  'project.outcomes',
  'organization.bounce_rate',
  'idea.created',
  'idea.status_changed',
  'feedback.created',
  'alert.digest',
  'alert.test',
] as const
export type NotificationType = (typeof notificationTypes)[number]

/** The type of a notification about one firing, by the condition that fired. */
export const notificationTypeOf = {
  new_issue: 'issue.new',
  regression: 'issue.regression',
  escalation: 'issue.escalation',
  first_in_release: 'issue.first_in_release',
  event_count: 'issue.event_count',
  user_count: 'issue.user_count',
  monitor_failed: 'monitor.failed',
  monitor_recovered: 'monitor.recovered',
  crash_free_rate: 'project.crash_free_rate',
  quota: 'project.quota',
  outcomes: 'project.outcomes',
  bounce_rate: 'organization.bounce_rate',
  new_idea: 'idea.created',
  idea_status: 'idea.status_changed',
  new_feedback: 'feedback.created',
} as const satisfies Record<AlertCondition['type'], NotificationType>

/** Firings that a digest lists; further ones are only counted. */
export const digestFiringsMax = 20
/** Numbers that explain why a rule fired, such as a count and its threshold. */
const numbersMax = 20

const text = z.string()
const instant = z.iso.datetime()

export const NotificationIssue = z.object({
  id: text,
  short_id: text.describe('As `SHOP-12`.'),
  title: text,
  culprit: text,
  level: text,
  count: z.number().int(),
  user_count: z.number().int().describe('Distinct users of stored events.'),
  url: text,
  first_seen: instant,
  last_seen: instant,
})
export type NotificationIssue = z.infer<typeof NotificationIssue>

/** What one firing is about, beside its rule. */
const subjects = {
  issue: NotificationIssue.optional(),
  event: z
    .object({
      id: text.nullable().describe('32 hexadecimal digits. The first event that matched the rule.'),
      release: text.nullable(),
      environment: text.nullable(),
    })
    .optional(),
  monitor: z
    .object({
      slug: text,
      environment: text,
      kind: text.optional().describe('missed, error or overrunning.'),
      url: text,
    })
    .optional(),
  idea: z.object({ id: text, title: text, status: text, url: text }).optional(),
  feedback: z.object({ id: text, message: text, url: text }).optional(),
  numbers: z
    .record(text, z.union([z.number(), text]))
    .refine((numbers) => Object.keys(numbers).length <= numbersMax)
    .optional(),
}
export const FiringSubjects = z.object(subjects)
export type FiringSubjects = z.infer<typeof FiringSubjects>

export const Notification = z.object({
  type: z.enum(notificationTypes),
  timestamp: instant.describe('When the rule fired; of a digest, when it was made.'),
  data: z.object({
    project: z.object({ id: text, name: text }),
    rule: z.object({ id: text, name: text }),
    reason: text.describe('A sentence with the numbers.'),
    ...subjects,
    digest: z
      .object({
        count: z.number().int().describe('Everything that fired since the last notification.'),
        more: z.number().int().describe('Those of `count` that `firings` does not list.'),
        firings: z
          .array(
            z.object({
              type: z.enum(notificationTypes),
              reason: text,
              at: instant,
              ...subjects,
            }),
          )
          .max(digestFiringsMax)
          .describe('The first ones, oldest first.'),
      })
      .optional(),
  }),
})
export type Notification = z.infer<typeof Notification>
