/**
 * Results of monitors, stored by the commit that decided them: events to be published on the bus,
 * and issues to be resolved.
 */
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { dashed, undashed } from '#schemas/ids.ts'
import { failureEvent, failureHash, monitorClient } from '../monitors/failure-event.ts'
import type { FoldedMonitor } from '../monitors/fold-monitor.ts'

export interface OutboxEvent {
  readonly eventId: string
  readonly projectId: number
  readonly receivedAtMs: number
  readonly payload: string
  readonly client: string
}

/**
 * The time of receipt of an event is the time at which its run failed, so that it sorts before a
 * later recovery whenever it is published.
 */
export async function keepFailureEvents(
  client: PoolClient,
  folded: readonly FoldedMonitor[],
): Promise<void> {
  const rows = folded.flatMap(({ monitor, failures }) =>
    failures.map((failure) => ({
      event_id: dashed(failure.run.eventId),
      project_id: monitor.projectId,
      received_at: new Date(failure.atMs).toISOString(),
      payload: JSON.stringify(failureEvent(monitor, failure)),
      client: monitorClient,
    })),
  )
  if (rows.length === 0) return
  await client.query(
    `insert into outbox_events (event_id, project_id, received_at, payload, client)
     select event_id, project_id, received_at, payload, client
     from jsonb_populate_recordset(null::outbox_events, $1) order by event_id
     on conflict do nothing`,
    [JSON.stringify(rows)],
  )
}

/** Skips incidents without events, which have no issue. */
export async function keepRecoveries(
  client: PoolClient,
  folded: readonly FoldedMonitor[],
): Promise<void> {
  const rows = folded.flatMap(({ monitor: { projectId, slug }, recoveries }) =>
    recoveries.flatMap(({ incident, atMs, environment }) =>
      incident.lastEventMs === undefined
        ? []
        : {
            project_id: projectId,
            hash: dashed(failureHash(slug, environment, incident.kind)),
            resolved_at: new Date(atMs).toISOString(),
            last_event_at: new Date(incident.lastEventMs).toISOString(),
            reason: { monitor: slug, environment },
          },
    ),
  )
  // A monitor can recover twice within one range; the last recovery counts.
  const last = new Map(rows.map((row) => [`${row.project_id} ${row.hash}`, row]))
  if (last.size === 0) return
  await client.query(
    `insert into issue_resolutions (project_id, hash, resolved_at, last_event_at, reason)
     select project_id, hash, resolved_at, last_event_at, reason
     from jsonb_populate_recordset(null::issue_resolutions, $1) order by project_id, hash
     on conflict (project_id, hash) do update set resolved_at = excluded.resolved_at,
       last_event_at = excluded.last_event_at, reason = excluded.reason, created_at = now()`,
    [JSON.stringify([...last.values()])],
  )
}

/**
 * Longer than any range takes without failures. An event that is not digested by then is sent
 * again; a copy changes nothing.
 */
const resendAfter = '60 seconds'

/**
 * Locks and returns the oldest events to be sent, without those that another process has locked.
 */
export async function lockOutbox(client: PoolClient, limit: number): Promise<OutboxEvent[]> {
  const { rows } = await client.query<{
    event_id: string
    project_id: number
    received_at: Date
    payload: string
    client: string
  }>(
    `select event_id, project_id, received_at, payload, client from outbox_events
     where sent_at is null or sent_at < now() - interval '${resendAfter}'
     order by created_at, event_id limit $1 for update skip locked`,
    [limit],
  )
  return rows.map((row) => ({
    eventId: undashed(row.event_id),
    projectId: row.project_id,
    receivedAtMs: row.received_at.getTime(),
    payload: row.payload,
    client: row.client,
  }))
}

export async function markSent(client: PoolClient, events: readonly OutboxEvent[]): Promise<void> {
  await client.query('update outbox_events set sent_at = now() where event_id = any($1)', [
    events.map(({ eventId }) => dashed(eventId)),
  ])
}

/** Part of the commit that digests the events. @param eventIds 32 lowercase hex digits each. */
export async function deleteDigestedEvents(
  client: PoolClient,
  eventIds: readonly string[],
): Promise<void> {
  await client.query('delete from outbox_events where event_id = any($1)', [eventIds.map(dashed)])
}

/**
 * How long to wait for an event that never becomes part of an issue, because it was filtered or the
 * issue was deleted.
 */
const resolutionsWaitFor = '1 day'

/**
 * Resolves the issues of monitors that recovered, as soon as the last event of the incident is
 * counted: an event that arrives later would open the issue again. A monitor that failed again
 * meanwhile has a later event, so its issue stays open.
 */
export async function resolveIssues(pg: Pool): Promise<number> {
  const { rowCount } = await pg.query(
    `with ready as (
       select r.project_id, r.hash, r.resolved_at, r.reason, h.issue_id
       from issue_resolutions r
       join issue_hashes h on h.project_id = r.project_id and h.hash = r.hash
       join issues i on i.id = h.issue_id
       where i.last_seen >= r.last_event_at
       order by i.id for update of i, r skip locked
     ), done as (
       delete from issue_resolutions r using ready
       where r.project_id = ready.project_id and r.hash = ready.hash
     ), resolved as (
       update issues i set status = 'resolved', substatus = null, resolved_at = ready.resolved_at,
         resolved_in = 'now', triage_at = null, triage_reason = null, snoozed_until = null,
         escalated_at = null, escalation = null
       from ready where i.id = ready.issue_id and i.status = 'unresolved'
         and i.last_seen <= ready.resolved_at
       returning i.id, ready.reason, ready.resolved_at
     )
     insert into issue_activity (issue_id, kind, actor, data, at)
     select id, 'status', '{"type": "system"}',
       reason || '{"from": "unresolved", "to": "resolved", "resolved_in": "now"}', resolved_at from resolved`,
  )
  await pg.query(
    `delete from issue_resolutions where created_at < now() - interval '${resolutionsWaitFor}'`,
  )
  return rowCount ?? 0
}
