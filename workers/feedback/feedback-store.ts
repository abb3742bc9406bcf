/**
 * The table `feedback`: the rows that a commit adds, and the search for the events that they refer
 * to.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { addFirings, type FiringCause } from '../alerts/cause-store.ts'
import type { AwaitedEvent, FeedbackLinks, Link, LinkedEvent } from './link-feedback.ts'
import type { Feedback } from './parse-feedback.ts'

export function feedbackLinks(pg: Pool, clickhouse: ClickHouseClient): FeedbackLinks {
  return {
    awaited: (due) => readAwaitedEvents(pg, due),
    find: (awaited) => findEvents(clickhouse, awaited),
    link: (links) => linkFeedback(pg, links),
    later: (rows) => searchLater(pg, rows),
  }
}

/**
 * Feedback that is sent again changes nothing, because people may have triaged it meanwhile.
 * Returns the alert rules that fired.
 */
export async function insertFeedback(
  client: PoolClient,
  feedback: readonly Feedback[],
  projects: ReadonlySet<number>,
): Promise<readonly string[]> {
  const rows = feedback.filter(({ projectId }) => projects.has(projectId))
  if (rows.length === 0) return []
  const { rows: added } = await client.query<{ project_id: number; id: string }>(
    `insert into feedback (project_id, id, message, type, source, path, version, environment, component,
       person_name, person_email, event_id, look_at, created_at, updated_at)
     select project_id, id, message, type, source, path, version, environment, component,
       person_name, person_email, event_id, case when event_id is not null then at end, at, at
     from jsonb_to_recordset($1) as said (project_id bigint, id uuid, message text, type text, source text, path text,
       version text, environment text, component text, person_name text, person_email text, event_id uuid, at timestamptz)
     on conflict (project_id, id) do nothing returning project_id, id`,
    [JSON.stringify(rows.map(rowOf))],
  )
  const isAdded = new Set(added.map(({ project_id, id }) => `${project_id} ${id}`))
  return addFirings(
    client,
    rows
      .filter(({ projectId, id }) => isAdded.has(`${projectId} ${dashed(id)}`))
      .map((said) => feedbackCause(said)),
  )
}

const quoteCharactersMax = 1_000

function feedbackCause({ projectId, id, message, receivedAtMs }: Feedback): FiringCause {
  return {
    projectId,
    type: 'new_feedback',
    cause: `feedback:${dashed(id)}`,
    reason: 'Somebody has sent feedback.',
    data: { feedback: { id: dashed(id), message: message.slice(0, quoteCharactersMax) } },
    atMs: receivedAtMs,
  }
}

function rowOf(said: Feedback) {
  return {
    project_id: said.projectId,
    id: dashed(said.id),
    message: said.message,
    type: said.type,
    source: said.source,
    path: said.path,
    version: said.version,
    environment: said.environment,
    component: said.component,
    person_name: said.personName,
    person_email: said.personEmail,
    event_id: said.eventId === null ? null : dashed(said.eventId),
    at: new Date(said.receivedAtMs).toISOString(),
  }
}

/** The rows that are due for another search, longest overdue first. */
async function readAwaitedEvents(
  pg: Pool,
  { nowMs, rowsMax }: { readonly nowMs: number; readonly rowsMax: number },
): Promise<readonly AwaitedEvent[]> {
  const { rows } = await pg.query<{
    project_id: ProjectId
    id: string
    event_id: string
    created_ms: number
  }>(
    `select project_id, id, event_id, (extract(epoch from created_at) * 1000)::float8 as created_ms
     from feedback where look_at <= to_timestamp($1 / 1000.0) order by look_at limit $2`,
    [nowMs, rowsMax],
  )
  return rows.map((row) => ({
    projectId: row.project_id,
    id: row.id,
    eventId: row.event_id,
    createdAtMs: row.created_ms,
  }))
}

async function findEvents(
  clickhouse: ClickHouseClient,
  awaited: readonly AwaitedEvent[],
): Promise<readonly LinkedEvent[]> {
  const result = await clickhouse.query({
    query: `select project_id, toString(event_id) as id, any(toString(fingerprint)) as hash, any(release) as version,
        any(events.environment) as environment, any(JSONExtractString(payload, 'request', 'url')) as url
      from events
      where (project_id, event_id) in arrayZip({projects:Array(UInt64)}, {events:Array(UUID)})
      group by project_id, event_id`,
    query_params: {
      projects: awaited.map(({ projectId }) => projectId),
      events: awaited.map(({ eventId }) => eventId),
    },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  const rows = await result.json<{
    project_id: ProjectId
    id: string
    hash: string
    version: string
    environment: string
    url: string
  }>()
  return rows.map(({ project_id, id, ...found }) => ({
    ...{ projectId: project_id, eventId: id },
    ...found,
  }))
}

/** Fills only fields that the client left empty. */
async function linkFeedback(pg: Pool, links: readonly Link[]): Promise<void> {
  await pg.query(
    `update feedback set event_hash = found.hash, look_at = null,
       version = coalesce(feedback.version, found.version), environment = coalesce(feedback.environment, found.environment),
       path = coalesce(feedback.path, found.path)
     from jsonb_to_recordset($1) as found ("projectId" bigint, id uuid, hash uuid, version text, environment text, path text)
     where feedback.project_id = found."projectId" and feedback.id = found.id`,
    [JSON.stringify(links)],
  )
}

/** @param later null ends the search without a result. */
async function searchLater(pg: Pool, later: Parameters<FeedbackLinks['later']>[0]): Promise<void> {
  await pg.query(
    `update feedback set look_at = to_timestamp(ms / 1000.0)
     from unnest($1::bigint[], $2::uuid[], $3::float8[]) as later (project, feedback, ms)
     where project_id = project and id = feedback`,
    [
      later.map(({ projectId }) => projectId),
      later.map(({ id }) => id),
      later.map(({ searchAtMs }) => searchAtMs),
    ],
  )
}
