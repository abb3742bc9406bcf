/** Writes the payload of a notification from what fired. A pure function. */
import { feedbackPath, ideaPath, issuePath, monitorPath } from '#schemas/page-path.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'
import {
  digestFiringsMax,
  type FiringSubjects,
  type Notification,
  type NotificationIssue,
  notificationTypeOf,
} from '#schemas/rest/alerts/notification.ts'
import type { FiringData } from './firing.ts'

export interface WaitingFiring {
  readonly type: AlertCondition['type']
  readonly reason: string
  readonly data: FiringData
  /** 32 lowercase hex digits. */
  readonly eventId: string | null
  readonly at: Date
  readonly issue: FiredIssue | null
}

/** The issue that has the events now, if the one that the rule fired about was merged. */
export interface FiredIssue {
  readonly id: string
  readonly shortNo: number
  readonly title: string
  readonly culprit: string
  readonly level: string
  readonly count: number
  readonly firstSeen: Date
  readonly lastSeen: Date
}

export interface NotificationContext {
  readonly rule: { readonly id: string; readonly name: string }
  readonly project: { readonly id: string; readonly name: string; readonly shortName: string }
  /** Address of the pages that the notification links to, without a slash at its end. */
  readonly publicUrl: string
  readonly now: Date
  /** By issue id; absent if unknown. */
  readonly users: ReadonlyMap<string, number>
}

/**
 * @param firings the first ones that wait, at least one. @param count how many wait altogether. One
 * is told as itself, several as a digest.
 */
export function buildNotification(
  firings: readonly WaitingFiring[],
  count: number,
  ctx: NotificationContext,
): Notification {
  const { project, rule, now } = ctx
  const base = {
    project: { id: project.id, name: project.name },
    rule: { id: rule.id, name: rule.name },
  }
  const [only] = firings
  if (count === 1 && only !== undefined) {
    return {
      type: notificationTypeOf[only.type],
      timestamp: only.at.toISOString(),
      data: { ...base, reason: only.reason, ...subjectsOf(only, ctx) },
    }
  }
  const listed = firings.filter(({ data }) => data.more === undefined).slice(0, digestFiringsMax)
  const since = firings.reduce((least, { at }) => Math.min(least, at.getTime()), now.getTime())
  return {
    type: 'alert.digest',
    timestamp: now.toISOString(),
    data: {
      ...base,
      reason: `This rule fired ${count.toLocaleString('en-US')} times in ${formatSpan(now.getTime() - since)}.`,
      digest: {
        count,
        more: count - listed.length,
        firings: listed.map((firing) => ({
          type: notificationTypeOf[firing.type],
          reason: firing.reason,
          at: firing.at.toISOString(),
          ...subjectsOf(firing, ctx),
        })),
      },
    },
  }
}

function subjectsOf(firing: WaitingFiring, ctx: NotificationContext): FiringSubjects {
  const { data, eventId, issue } = firing
  const { publicUrl, project } = ctx
  const { event, monitor, idea, feedback, numbers } = data
  const link = (path: string) => `${publicUrl}${path}`
  return {
    ...(issue === null ? {} : { issue: issueOf(issue, ctx) }),
    ...(event === undefined ? {} : { event: { id: eventId, ...event } }),
    ...(monitor === undefined
      ? {}
      : {
          monitor: {
            slug: monitor.slug,
            environment: monitor.environment,
            ...(typeof numbers?.['kind'] === 'string' ? { kind: numbers['kind'] } : {}),
            url: link(monitorPath(project.id, monitor.slug)),
          },
        }),
    ...(idea === undefined ? {} : { idea: { ...idea, url: link(ideaPath(project.id, idea.id)) } }),
    ...(feedback === undefined
      ? {}
      : { feedback: { ...feedback, url: link(feedbackPath(project.id, feedback.id)) } }),
    ...(numbers === undefined ? {} : { numbers: { ...numbers } }),
  }
}

function issueOf(issue: FiredIssue, ctx: NotificationContext): NotificationIssue {
  const { project, publicUrl, users } = ctx
  return {
    id: issue.id,
    short_id: `${project.shortName}-${issue.shortNo}`,
    title: issue.title,
    culprit: issue.culprit,
    level: issue.level,
    count: issue.count,
    user_count: users.get(issue.id) ?? 0,
    url: `${publicUrl}${issuePath(project.id, issue.id)}`,
    first_seen: issue.firstSeen.toISOString(),
    last_seen: issue.lastSeen.toISOString(),
  }
}

function formatSpan(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000))
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
