/**
 * The job that tells what a rule has fired: everything that waits becomes one notification, with
 * one delivery for each target, in one transaction. So it is told once, whenever the process is
 * killed. Afterwards nothing is told until the rule's digest interval has passed.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { StoredConditions } from '#schemas/rest/alerts/alert.ts'
import type { AlertTargetType } from '#schemas/rest/alerts/target.ts'
import { buildNotification } from './build-notification.ts'
import {
  insertDeliveries,
  lockRule,
  type NotifyingRule,
  postpone,
  readTargets,
  readWaiting,
  saveNotified,
  takeWaiting,
} from './notification-store.ts'
import { quietUntil } from './quiet-hours.ts'

export interface NotifyContext {
  readonly pg: Pool
  readonly clock: Pick<Clock, 'nowMs'>
  /** Address of the pages that notifications link to. */
  readonly publicUrl: string
  /** Distinct users by issue id. An issue may be absent: a notification does not wait for it. */
  readonly countUsers: (issueIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
}

export type NotifyResult =
  | { readonly kind: 'notified'; readonly count: number; readonly targets: number }
  | { readonly kind: 'postponed'; readonly until: Date }
  /** Nothing waits, or the rule is deleted or disabled. */
  | { readonly kind: 'nothing' }

/** A digest resolves no alert there, so that they are told of each recovery besides. */
const keepsAlertsOpen: ReadonlySet<AlertTargetType> = new Set(['pagerduty', 'opsgenie'])

/** Firings that nobody is told of, because their rule was disabled, have this notification. */
export const neverNotified = '00000000-0000-0000-0000-000000000000'

export async function notifyRule(ctx: NotifyContext, ruleId: string): Promise<NotifyResult> {
  const users = await countWaitingUsers(ctx, ruleId)
  const result = await inTransaction(ctx.pg, (client) => notify(ctx, client, { ruleId, users }))
  failpoint('alerts.after_notified')
  return result
}

/** Before the rule is locked, because another store is asked. */
async function countWaitingUsers({ pg, countUsers }: NotifyContext, ruleId: string) {
  const waiting = await readWaiting(pg, ruleId)
  const issues = new Set(waiting.flatMap(({ issue }) => issue?.id ?? []))
  return issues.size === 0 ? new Map<string, number>() : countUsers([...issues])
}

async function notify(
  { clock, publicUrl }: NotifyContext,
  client: PoolClient,
  { ruleId, users }: { readonly ruleId: string; readonly users: ReadonlyMap<string, number> },
): Promise<NotifyResult> {
  const rule = await lockRule(client, ruleId)
  if (rule === undefined) return { kind: 'nothing' }
  if (!rule.enabled) {
    await takeWaiting(client, ruleId, neverNotified)
    return { kind: 'nothing' }
  }
  const firings = await readWaiting(client, ruleId)
  if (firings.length === 0) return { kind: 'nothing' }
  const now = new Date(clock.nowMs())
  const until = silentUntil(rule, now)
  if (until !== undefined) {
    await postpone(client, ruleId, until)
    return { kind: 'postponed', until }
  }
  const id = uuidv7()
  const { count, recoveries } = await takeWaiting(client, ruleId, id)
  const targets = await readTargets(client, ruleId)
  const { project_id, project_name, short_name, organization_id, name, digest_seconds } = rule
  const about = {
    rule: { id: ruleId, name },
    project: { id: project_id, name: project_name, shortName: short_name },
    publicUrl,
    now,
    users,
  }
  const of = { ruleId, organizationId: organization_id, now }
  const payload = buildNotification(firings, count, about)
  await insertDeliveries(client, { ...of, id, payload }, targets)
  if (count > 1) {
    const pagers = targets.filter(({ type }) => keepsAlertsOpen.has(type))
    for (const recovery of recoveries) {
      const own = buildNotification([recovery], 1, about)
      await insertDeliveries(client, { ...of, id: uuidv7(), payload: own }, pagers)
    }
  }
  await saveNotified(client, {
    ruleId,
    now,
    nextAt: new Date(now.getTime() + digest_seconds * 1000),
  })
  failpoint('alerts.before_notified')
  return { kind: 'notified', count, targets: targets.length }
}

/** The latest of mute, digest interval and quiet hours; undefined if it may speak now. */
function silentUntil(rule: NotifyingRule, now: Date): Date | undefined {
  const { muted_until, next_notification_at, conditions, digest_seconds } = rule
  const nowMs = now.getTime()
  const nextMs = next_notification_at?.getTime() ?? nowMs
  // A clock that was ahead may have left a time that is too late.
  const next = nextMs <= nowMs + digest_seconds * 1000 ? nextMs : nowMs
  const earliest = Math.max(nowMs, next, muted_until?.getTime() ?? nowMs)
  const quiet = StoredConditions.shape.quiet_hours.safeParse(
    (conditions as { quiet_hours?: unknown }).quiet_hours,
  )
  const until = quietUntil(quiet.data ?? null, earliest) ?? earliest
  return nowMs < until ? new Date(until) : undefined
}
