/**
 * What a person is shown of a notification on every channel: a headline, facts, a link. It is
 * read from the stored payload, which is the body of the webhook. Every field may be absent, so
 * that a delivery that an earlier or later version has stored is still sent.
 */
import { z } from 'zod'
import { storedText } from '#schemas/stored-text.ts'
import { cleanVisibleText } from '#schemas/visible-text.ts'

/** An unexpected value counts as an absent one. */
const optional = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined)
/** Longer than any channel shows. */
const charactersMax = 4_096
/** Without characters that reorder the text around them. Cut first, because cleaning is slow. */
const cleanText = z
  .string()
  .transform((value): string => cleanVisibleText(storedText(value, charactersMax)))
const text = optional(cleanText)
const count = optional(z.number())

const Issue = z.object({
  id: text,
  short_id: text,
  title: text,
  culprit: text,
  level: text,
  count,
  user_count: count,
  url: text,
})

const Firing = z.object({ type: text, reason: text, issue: optional(Issue) })

const Payload = z.object({
  type: cleanText.catch('notification'),
  timestamp: text,
  data: z
    .object({
      project: optional(z.object({ id: text, name: text })),
      rule: optional(z.object({ id: text, name: text })),
      webhook: optional(z.object({ id: text, label: text })),
      reason: text,
      issue: optional(Issue),
      event: optional(z.object({ release: text, environment: text })),
      monitor: optional(z.object({ slug: text, environment: text, url: text })),
      idea: optional(z.object({ id: text, title: text, status: text, url: text })),
      feedback: optional(z.object({ id: text, message: text, url: text })),
      digest: optional(
        z.object({ count, more: count, firings: optional(z.array(Firing.catch({}))) }),
      ),
    })
    .catch({}),
})
type Payload = z.infer<typeof Payload>

export interface ShownNotification {
  /** As `issue.new`. */
  readonly type: string
  readonly at: string
  /** Says what happened, in one line without texts of events: "New issue in Shop". */
  readonly headline: string
  /** What it is about: the title of the issue or idea. Empty for a digest. Not trustworthy. */
  readonly title: string
  /** Why the rule fired. */
  readonly reason: string
  /** Label and value, in the order of importance. The values are not trustworthy. */
  readonly facts: readonly (readonly [label: string, value: string])[]
  /** The lines of a digest. */
  readonly lines: readonly DigestLine[]
  /** Firings of a digest that have no line. */
  readonly more: number
  readonly url: string | undefined
  readonly level: 'fatal' | 'error' | 'warning' | 'info'
  readonly projectName: string
  /**
   * Names the thing that the notification is about, so that a service with open and closed alerts
   * updates one. A digest has one for its rule.
   */
  readonly subject: string
  /** Whether a failure has ended. */
  readonly isRecovery: boolean
}

export interface DigestLine {
  readonly text: string
  readonly reason: string
  readonly url: string | undefined
}

/** Slack accepts 3,000 in a text. */
const urlCharactersMax = 1_000
/** Every channel has room for so many. */
const digestLinesMax = 10

export function shownNotification(stored: unknown): ShownNotification {
  const payload = Payload.safeParse(stored).data ?? { type: 'notification', data: {} }
  const { type, data } = payload
  const { issue, idea, feedback, monitor, digest } = data
  const projectName = data.project?.name ?? ''
  const firings = digest?.firings ?? []
  const lines = firings.slice(0, digestLinesMax).map(({ type: cause, reason, issue: about }) => ({
    text: [about?.short_id, about?.title ?? happening(cause ?? '')].filter(Boolean).join(' '),
    reason: reason ?? '',
    url: httpUrl(about?.url),
  }))
  return {
    type,
    at: payload.timestamp ?? '',
    headline: headlineOf(payload),
    title: titleOf(payload),
    reason: data.reason ?? '',
    facts: factsOf(payload),
    lines,
    more: Math.max(digest?.more ?? 0, (digest?.count ?? firings.length) - lines.length, 0),
    url: httpUrl(issue?.url ?? monitor?.url ?? idea?.url ?? feedback?.url),
    level: levelOf(payload),
    projectName,
    subject: subjectOf(payload),
    isRecovery: type === 'monitor.recovered',
  }
}

const happenings: Readonly<Record<string, string>> = {
  'issue.new': 'New issue',
  'issue.regression': 'Issue returned',
  'issue.escalation': 'Issue escalates',
  'issue.first_in_release': 'First event of an issue in a release',
  'issue.event_count': 'Many events of an issue',
  'issue.user_count': 'Many users with an issue',
  'monitor.failed': 'Monitor failed',
  'monitor.recovered': 'Monitor recovered',
  'project.crash_free_rate': 'Crash-free rate is low',
  'project.quota': 'Quota',
  'project.outcomes': 'Unusual outcomes',
  'organization.bounce_rate': 'Bounce rate is high',
  'idea.created': 'New idea',
  'idea.status_changed': 'Idea changed its status',
  'feedback.created': 'New feedback',
  'alert.digest': 'Several notifications',
  'alert.test': 'Test notification',
  'webhook.test': 'Test notification',
}

const happening = (type: string) => happenings[type] ?? type

function headlineOf({ type, data }: Payload): string {
  const { digest, project } = data
  const what =
    digest?.count === undefined ? happening(type) : `${digest.count} notifications of a rule`
  return project?.name === undefined ? what : `${what} in ${project.name}`
}

function titleOf({ data: { issue, monitor, idea, feedback } }: Payload): string {
  if (issue !== undefined) return [issue.short_id, issue.title].filter(Boolean).join(' ')
  return monitor?.slug ?? idea?.title ?? feedback?.message ?? ''
}

function factsOf({ data }: Payload): (readonly [string, string])[] {
  const { issue, event, monitor, idea, rule } = data
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['Where', issue?.culprit],
    ['Level', issue?.level],
    ['Events', issue?.count],
    ['Users', issue?.user_count],
    ['Release', event?.release],
    ['Environment', event?.environment ?? monitor?.environment],
    ['Status', idea?.status],
    ['Rule', rule?.name],
  ]
  return facts.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [[label, String(value)] as const],
  )
}

function levelOf({ type, data: { issue } }: Payload): ShownNotification['level'] {
  const level = issue?.level
  if (level === 'fatal' || level === 'error' || level === 'warning') return level
  if (issue !== undefined || /^(?:idea|feedback)\.|\.test$|\.recovered$/.test(type)) return 'info'
  return type === 'monitor.failed' ? 'error' : 'warning'
}

function subjectOf({ type, data }: Payload): string {
  const { issue, monitor, idea, feedback, project, rule } = data
  if (issue?.id !== undefined) return `issue:${issue.id}`
  if (monitor?.slug !== undefined) {
    return `monitor:${project?.id ?? ''}:${monitor.slug}:${monitor.environment ?? ''}`
  }
  if (idea?.id !== undefined) return `idea:${idea.id}`
  if (feedback?.id !== undefined) return `feedback:${feedback.id}`
  return `rule:${rule?.id ?? ''}:${type}`
}

/** Links are our own, but a channel must never get another scheme. */
function httpUrl(url: string | undefined): string | undefined {
  if (url === undefined || urlCharactersMax < url.length || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}
