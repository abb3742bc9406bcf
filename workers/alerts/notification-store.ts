/** What the job of a rule reads and writes. */
import { v7 as uuidv7 } from 'uuid'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { undashed } from '#schemas/ids.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'
import { digestFiringsMax, type Notification } from '#schemas/rest/alerts/notification.ts'
import type { AlertTargetType } from '#schemas/rest/alerts/target.ts'
import { storedJson } from '#schemas/stored-text.ts'
import type { WaitingFiring } from './build-notification.ts'
import type { FiringData } from './firing.ts'

export interface NotifyingRule {
  readonly name: string
  readonly enabled: boolean
  readonly conditions: unknown
  readonly digest_seconds: number
  readonly muted_until: Date | null
  readonly next_notification_at: Date | null
  readonly project_id: string
  readonly project_name: string
  readonly short_name: string
  readonly organization_id: string
}

/** Locks the rule, so that one job at a time tells what it fired. Commits do not wait for it. */
export async function lockRule(
  client: PoolClient,
  ruleId: string,
): Promise<NotifyingRule | undefined> {
  const { rows } = await client.query<NotifyingRule>(
    `select r.name, enabled, conditions, digest_seconds, muted_until, next_notification_at,
       p.id as project_id, p.name as project_name, short_name, organization_id
     from alert_rules r join projects p on dsn_id = r.project_id
     where r.id = $1 for no key update of r`,
    [ruleId],
  )
  return rows[0]
}

interface FiringRow {
  type: AlertCondition['type']
  reason: string
  data: FiringData
  event_id: string | null
  at: Date
  issue_id: string | null
  short_no: number
  title: string
  culprit: string
  level: string
  count: number
  first_seen: Date
  last_seen: Date
}

/** A chain of merged issues is longer only if merges run at the same time. */
const mergesMax = 10

/** The first ones that wait, with the issues that have their events now. */
export async function readWaiting(
  client: Pool | PoolClient,
  ruleId: string,
): Promise<readonly WaitingFiring[]> {
  const { rows } = await client.query<FiringRow>(
    `with recursive waiting as (
       select * from alert_firings where rule_id = $1 and notification_id is null
       order by id limit ${digestFiringsMax + 1}
     ), moved (firing, issue, depth) as (
       select id, issue_id, 0 from waiting where issue_id is not null
       union all
       select firing, merged_into, depth + 1 from moved join issues on issues.id = issue
       where merged_into is not null and depth < ${mergesMax}
     ), last as (
       select distinct on (firing) firing, issue from moved order by firing, depth desc
     )
     select waiting.type, waiting.reason, waiting.data, waiting.event_id, waiting.at, i.id as issue_id, i.short_no,
       i.title, i.culprit, i.level, i.count, i.first_seen, i.last_seen
     from waiting left join last on firing = waiting.id left join issues i on i.id = last.issue
     order by waiting.id`,
    [ruleId],
  )
  return rows.map((row) => ({
    type: row.type,
    reason: row.reason,
    data: row.data,
    eventId: row.event_id === null ? null : undashed(row.event_id),
    at: row.at,
    issue:
      row.issue_id === null
        ? null
        : {
            id: row.issue_id,
            shortNo: row.short_no,
            title: row.title,
            culprit: row.culprit,
            level: row.level,
            count: row.count,
            firstSeen: row.first_seen,
            lastSeen: row.last_seen,
          },
  }))
}

export interface TakenFirings {
  /** How many firings they stand for. */
  readonly count: number
  /** Monitors whose last firing among them is a recovery. */
  readonly recoveries: readonly WaitingFiring[]
}

const recoveriesMax = 100

/** Takes all that waits into the notification. */
export async function takeWaiting(
  client: PoolClient,
  ruleId: string,
  notificationId: string,
): Promise<TakenFirings> {
  const { rows } = await client.query<{
    count: number
    recoveries: readonly { reason: string; data: FiringData; at: string }[]
  }>(
    `with taken as (
       update alert_firings set notification_id = $2 where rule_id = $1 and notification_id is null
       returning id, type, reason, data, at, coalesce((data ->> 'more')::int, 1) as firings
     ), monitors as (
       select distinct on (data #>> '{monitor,id}', data #>> '{monitor,environment}') type, reason, data, at
       from taken where type in ('monitor_failed', 'monitor_recovered')
       order by data #>> '{monitor,id}', data #>> '{monitor,environment}', id desc
     ), recovered as (
       select reason, data, at from monitors where type = 'monitor_recovered' order by at limit ${recoveriesMax}
     )
     select (select coalesce(sum(firings), 0)::int from taken) as count,
       (select coalesce(jsonb_agg(recovered), '[]') from recovered) as recoveries`,
    [ruleId, notificationId],
  )
  const { count = 0, recoveries = [] } = rows[0] ?? {}
  return {
    count,
    recoveries: recoveries.map(({ reason, data, at }) => ({
      ...{ type: 'monitor_recovered', reason, data, at: new Date(at) },
      ...{ eventId: null, issue: null },
    })),
  }
}

export interface NotifiedTarget {
  readonly id: string
  readonly type: AlertTargetType
}

export async function readTargets(
  client: PoolClient,
  ruleId: string,
): Promise<readonly NotifiedTarget[]> {
  const { rows } = await client.query<NotifiedTarget>(
    'select id, type from notification_targets where rule_id = $1 and disabled_at is null order by id',
    [ruleId],
  )
  return rows
}

export interface NewNotification {
  readonly id: string
  readonly ruleId: string
  readonly organizationId: string
  readonly payload: Notification
  readonly now: Date
}

/** One delivery for each target, and a job that sends it. */
export async function insertDeliveries(
  client: PoolClient,
  { id, ruleId, organizationId, payload, now }: NewNotification,
  targets: readonly NotifiedTarget[],
): Promise<void> {
  if (targets.length === 0) return
  await client.query(
    `with added as (
       insert into notification_deliveries (id, organization_id, target_id, rule_id, notification_id, payload,
         created_at, next_attempt_at)
       select delivery, $3, target, $4, $5, $6::jsonb, $7, $7
       from unnest($1::uuid[], $2::uuid[]) as added (delivery, target)
       on conflict (notification_id, target_id) where notification_id is not null do nothing
     )
     select graphile_worker.add_job('deliver', json_build_object('target_id', target), job_key := 'deliver:' || target)
     from (select target from unnest($2::uuid[]) as target order by target) targets`,
    [
      targets.map(() => uuidv7()),
      targets.map((target) => target.id),
      organizationId,
      ruleId,
      id,
      storedJson(payload),
      now,
    ],
  )
}

export async function saveNotified(
  client: PoolClient,
  { ruleId, now, nextAt }: { readonly ruleId: string; readonly now: Date; readonly nextAt: Date },
): Promise<void> {
  await client.query(
    'update alert_rules set last_fired_at = $2, next_notification_at = $3 where id = $1',
    [ruleId, now, nextAt],
  )
}

/** Lets the job run again later. */
export async function postpone(client: PoolClient, ruleId: string, at: Date): Promise<void> {
  await client.query(
    `select graphile_worker.add_job('notify_rule', json_build_object('rule_id', $1::text), job_key := 'notify:' || $1::text,
       run_at := $2, job_key_mode := 'preserve_run_at')`,
    [ruleId, at],
  )
}

const rulesPerRoundMax = 10_000

/**
 * Enqueues the jobs of rules with something to tell now: a killed worker keeps its job locked for
 * hours, and a job that fails often is given up. Returns how many.
 */
export async function resumeNotifications(pg: Pool, now: Date): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `with waiting as (
       select id from alert_rules
       where exists (select from alert_firings where rule_id = alert_rules.id and notification_id is null)
         and (muted_until is null or muted_until <= $1)
         and (next_notification_at is null or next_notification_at <= $1)
       limit ${rulesPerRoundMax}
     )
     select count(*)::int as count, wake_rules(array_agg(id)) from waiting`,
    [now],
  )
  return rows[0]?.count ?? 0
}
