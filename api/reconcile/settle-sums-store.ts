/** Adds what was found in rows and notes to releases, quota and release health. */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import type { RangeNote } from '#schemas/range-note.ts'

export async function settleFoundReleases(client: PoolClient): Promise<void> {
  await client.query(
    `insert into releases (project_id, version, first_event_at, last_event_at, event_count)
     select project_id, version, first_event, last_event, count from found_releases
     order by project_id, version
     on conflict (project_id, version) do update set
       first_event_at = least(case when releases.event_count > 0 then releases.first_event_at end, excluded.first_event_at),
       last_event_at = greatest(releases.last_event_at, excluded.last_event_at),
       event_count = releases.event_count + excluded.event_count`,
  )
}

export async function settleFoundUsage(client: PoolClient): Promise<void> {
  await client.query(
    `insert into quota_usage (project_id, period, used)
     select project_id, period, count from found_usage order by project_id, period
     on conflict (project_id, period) do update set used = quota_usage.used + excluded.used`,
  )
}

/** Writes what the commit of the range had written and no row holds. */
export async function applyNote(
  client: PoolClient,
  { partition, note, nowMs }: { partition: number; note: RangeNote; nowMs: number },
): Promise<void> {
  if (note.sessionSums.length > 0) await addSessionSums(client, note)
  if (note.sessionReleases.length > 0) await addSessionReleases(client, note)
  // Older ids are in no deduplication window any more.
  const itemIds = note.itemIds.filter((item) => item.receivedAtMs > nowMs - 2 * dedupWindowMs)
  if (itemIds.length > 0) {
    await client.query(
      `insert into item_ids (partition, received_at, project_id, record_id)
       select $1, to_timestamp(ms / 1000.0), project_id, record_id
       from unnest($2::float8[], $3::bigint[], $4::uuid[]) as ids (ms, project_id, record_id)`,
      [
        partition,
        itemIds.map(({ receivedAtMs }) => receivedAtMs),
        itemIds.map(({ projectId }) => projectId),
        itemIds.map(({ recordId }) => dashed(recordId)),
      ],
    )
  }
  if (note.ownEventIds.length > 0) {
    await client.query('delete from outbox_events where event_id = any($1)', [
      note.ownEventIds.map(dashed),
    ])
  }
  if (note.retriedDeadLetterIds.length > 0) {
    await client.query('delete from dead_letters where id = any($1)', [note.retriedDeadLetterIds])
  }
}

async function addSessionSums(client: PoolClient, { sessionSums }: RangeNote): Promise<void> {
  await client.query(
    `insert into release_health_counts as counts
       (project_id, release, environment, hour, exited, errored, unhandled, abnormal, crashed)
     select "projectId", release, environment, to_timestamp("hourSecond"), exited, errored, unhandled, abnormal, crashed
     from jsonb_to_recordset($1::jsonb) as sum ("projectId" bigint, release text, environment text, "hourSecond" float8,
       exited bigint, errored bigint, unhandled bigint, abnormal bigint, crashed bigint)
     join projects on dsn_id = "projectId"
     order by "projectId", release, environment, "hourSecond"
     on conflict (project_id, release, environment, hour) do update set
       exited = counts.exited + excluded.exited,
       errored = counts.errored + excluded.errored,
       unhandled = counts.unhandled + excluded.unhandled,
       abnormal = counts.abnormal + excluded.abnormal,
       crashed = counts.crashed + excluded.crashed`,
    [JSON.stringify(sessionSums)],
  )
}

async function addSessionReleases(
  client: PoolClient,
  { sessionReleases }: RangeNote,
): Promise<void> {
  await client.query(
    `insert into releases (project_id, version, event_count, first_session_at, last_session_at)
     select "projectId", version, 0, to_timestamp("firstSecond"), to_timestamp("lastSecond")
     from jsonb_to_recordset($1::jsonb)
       as session ("projectId" bigint, version text, "firstSecond" float8, "lastSecond" float8)
     join projects on dsn_id = "projectId"
     order by "projectId", version
     on conflict (project_id, version) do update set
       first_session_at = least(releases.first_session_at, excluded.first_session_at),
       last_session_at = greatest(releases.last_session_at, excluded.last_session_at)`,
    [JSON.stringify(sessionReleases)],
  )
}
