/** What a commit reads and writes of rules that fire. Each function runs one query. */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'
import { storedJson, storedText } from '#schemas/stored-text.ts'
import type { IssueFiring } from './firing.ts'

export interface LockedRule {
  readonly id: string
  readonly cooldownSeconds: number
  readonly createdAtMs: number
}

/**
 * The rules that are still there and enabled. They are locked before any of their rows, so that
 * deleting a rule runs either before or after the whole commit.
 */
export async function lockRules(
  client: PoolClient,
  ruleIds: readonly string[],
): Promise<Map<string, LockedRule>> {
  const { rows } = await client.query<LockedRule>(
    `select id, cooldown_seconds as "cooldownSeconds",
       (extract(epoch from created_at) * 1000)::float8 as "createdAtMs"
     from alert_rules where id = any($1) and enabled order by id for key share`,
    [ruleIds],
  )
  return new Map(rows.map((rule) => [rule.id, rule]))
}

export interface SeenRelease {
  /** Position in the caller's list. */
  readonly no: number
  readonly rule_id: string
  readonly issue_id: string
  readonly project_id: number
  readonly version: string
  readonly is_new: boolean
  readonly at: string
}

/**
 * Of older releases it is not known which issues they had: rules look at those that were first
 * heard of after the rule was made, and not longer ago than this. What is known is kept as long.
 */
export const watchedReleaseDays = 90

/**
 * Notes which issues occurred in which release, and returns the numbers of those that had not
 * before. A new issue is certainly the first one.
 */
export async function noteReleases(
  client: PoolClient,
  seen: readonly SeenRelease[],
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ no: number }>(
    `with seen as (
       select seen.*, 'release:' || issue_id || ':' || seen.version as subject
       from jsonb_to_recordset($1) as seen (no int, rule_id uuid, issue_id uuid, project_id bigint,
         version text, is_new boolean, at timestamptz)
       join alert_rules rule on rule.id = rule_id
       join issues on issues.id = issue_id and status = 'unresolved' and merged_into is null
       left join releases on releases.project_id = seen.project_id and releases.version = seen.version
       where is_new or least(first_event_at, first_session_at)
         > greatest(rule.created_at, at - interval '${watchedReleaseDays} days')
     ), added as (
       insert into alert_subjects (rule_id, subject, fired_at)
       select distinct on (rule_id, subject) rule_id, subject, at from seen order by rule_id, subject
       on conflict (rule_id, subject) do nothing returning rule_id, subject
     )
     select min(no) as no from seen join added using (rule_id, subject) group by rule_id, subject`,
    [JSON.stringify(seen)],
  )
  return new Set(rows.map(({ no }) => no))
}

/**
 * Inserts the firings that no cooldown silences, each cause once. Returns the rules that fired. A
 * time in the future, which a clock that was ahead has left, silences nothing.
 */
export async function insertFirings(
  client: PoolClient,
  firings: readonly IssueFiring[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ rule_id: string }>(
    `with given as (
       select * from jsonb_to_recordset($1) as given (no int, rule_id uuid, project_id bigint, type text,
         issue_id uuid, event_id uuid, reason text, data jsonb, cause text, at timestamptz)
     ), fresh as (
       select * from given where not exists (
         select from alert_firings fired where fired.rule_id = given.rule_id and fired.cause = given.cause)
     ), allowed as (
       insert into alert_subjects as known (rule_id, subject, fired_at)
       select rule_id, 'issue:' || issue_id, at from fresh where issue_id is not null
       order by rule_id, issue_id
       on conflict (rule_id, subject) do update set fired_at = excluded.fired_at
         where known.fired_at > now() + interval '1 hour' or exists (
           select from alert_rules rule where rule.id = excluded.rule_id
             and (cooldown_seconds = 0
               or known.fired_at <= excluded.fired_at - make_interval(secs => cooldown_seconds)))
       returning rule_id, subject
     ), inserted as (
       insert into alert_firings (rule_id, project_id, type, issue_id, event_id, reason, data, cause, at)
       select rule_id, project_id, type, issue_id, event_id, reason, data, cause, at from fresh
       where issue_id is null or exists (
         select from allowed where allowed.rule_id = fresh.rule_id and subject = 'issue:' || issue_id)
       order by no
       on conflict (rule_id, cause) do nothing returning rule_id
     )
     select distinct rule_id from inserted`,
    [JSON.stringify(firings.map(rowOf))],
  )
  return rows.map(({ rule_id }) => rule_id)
}

function rowOf(firing: IssueFiring, no: number) {
  const { ruleId, projectId, type, issueId, eventId, reason, data, cause, atMs } = firing
  return {
    no,
    rule_id: ruleId,
    project_id: projectId,
    type,
    issue_id: issueId,
    event_id: eventId === null ? null : dashed(eventId),
    reason: storedText(reason),
    data: JSON.parse(storedJson(data)),
    cause: storedText(cause),
    at: new Date(atMs).toISOString(),
  }
}

/** Enqueues the notifications of rules that fired in this transaction. */
export async function wakeRules(client: PoolClient, ruleIds: readonly string[]): Promise<void> {
  await client.query('select wake_rules($1)', [ruleIds])
}
