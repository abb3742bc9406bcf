/**
 * Reads of the table `feedback`. The workers write feedback of SDKs; the API's writes are in
 * feedback-writes.ts.
 */
import type {
  FeedbackFilter,
  FeedbackSource,
  FeedbackStatus,
  FeedbackType,
} from '#schemas/rest/portal/feedback.ts'
import type { Database, Postgres } from '../database.ts'
import { messageSearch } from './message-search.ts'

export interface StoredFeedback {
  readonly id: string
  readonly project_id: string
  readonly message: string
  readonly type: FeedbackType
  readonly status: FeedbackStatus
  readonly source: FeedbackSource
  readonly path: string | null
  readonly version: string | null
  readonly environment: string | null
  readonly component: string | null
  readonly event_id: string | null
  readonly issue_id: string | null
  readonly person_name: string | null
  readonly person_email: string | null
  readonly enduser_id: string | null
  readonly archived: boolean
  /** ISO 8601 with the offset of the connection's time zone. */
  readonly created_at: string
  readonly updated_at: string
}

/** A search that takes longer is cancelled and answered with 503. */
const statementMsMax = 2_000

export const feedbackColumns = `said.id, project.id as project_id, said.message, said.type, said.status, said.source, said.path,
  said.version, said.environment, said.component, said.event_id, owner.issue_id, said.person_name, said.person_email,
  said.enduser_id, said.archived, said.created_at, said.updated_at`

export const feedbackTables = `feedback said
  join projects project on project.dsn_id = said.project_id
  left join issue_hashes owner on owner.project_id = said.project_id and owner.hash = said.event_hash`

/**
 * Parameters: $1 project, $2 status, $3 type, $4 archived, $5 issue, $6 event, $7 email, $8 words,
 * $9 pattern.
 */
const conditions = `said.project_id = $1 and ($2::text is null or said.status = $2) and ($3::text is null or said.type = $3)
  and said.archived = $4
  and ($5::uuid is null or said.event_hash in (select hash from issue_hashes where project_id = $1 and issue_id = $5))
  and ($6::uuid is null or said.event_id = $6) and ($7::text is null or lower(said.person_email) = lower($7))`

const searched = `${conditions}
  and (said.search @@ to_tsquery('simple', coalesce($8::text, '')) or said.message ilike $9)`

/** One page and the total, in one snapshot. */
export async function listFeedback(
  pg: Postgres,
  list: { dsnId: number; filter: FeedbackFilter; offset: number; limit: number },
): Promise<{ items: readonly StoredFeedback[]; total: number }> {
  const search = messageSearch(list.filter.search)
  const where = search === undefined ? conditions : searched
  const values = [
    ...[list.dsnId, list.filter.status ?? null, list.filter.type ?? null],
    list.filter.archived ?? false,
    ...[list.filter.issue_id ?? null, list.filter.event_id ?? null, list.filter.email ?? null],
    ...(search === undefined ? [] : [search.words, search.pattern]),
  ]
  const [offset, limit] = [`$${values.length + 1}`, `$${values.length + 2}`]
  const page = `order by said.created_at desc, said.id desc offset ${offset} limit ${limit}`
  // A search finds rows first and orders them then: in the order of time, a rare word reads every
  // row.
  const statement =
    search === undefined
      ? `select (select count(*)::int from feedback said where ${where}) as total, ${itemsOf(`select ${feedbackColumns} from ${feedbackTables} where ${where} ${page}`)}`
      : `with hits as materialized (select said.id, said.created_at from feedback said where ${where})
         select (select count(*)::int from hits) as total, ${itemsOf(
           `select ${feedbackColumns} from (select said.id from hits said ${page}) hit, ${feedbackTables} where said.project_id = $1 and said.id = hit.id`,
         )}`
  const { rows } = await pg.transaction(async (client) => {
    await client.query(`set local statement_timeout = ${statementMsMax}`)
    return client.query<{ total: number; items: StoredFeedback[] }>(statement, [
      ...values,
      ...[list.offset, list.limit],
    ])
  })
  return rows[0]!
}

function itemsOf(select: string): string {
  return `coalesce((select jsonb_agg(to_jsonb(item) order by item.created_at desc, item.id desc) from (${select}) item), '[]') as items`
}

export async function findFeedback(
  pg: Database,
  named: { dsnId: number; id: string },
): Promise<StoredFeedback | undefined> {
  const { rows } = await pg.query<{ item: StoredFeedback }>(
    `select to_jsonb(item) as item
     from (select ${feedbackColumns} from ${feedbackTables} where said.project_id = $1 and said.id = $2) item`,
    [named.dsnId, named.id],
  )
  return rows[0]?.item
}

const exactTime = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The rows that follow `after`, newest first, for exports; times have microseconds. */
export async function readFeedback(
  pg: Database,
  read: { dsnId: number; after: StoredFeedback | undefined; limit: number },
): Promise<readonly StoredFeedback[]> {
  const { rows } = await pg.query<{ item: StoredFeedback }>(
    `select to_jsonb(item) || jsonb_build_object('created_at', ${exactTime('item.created_at')},
         'updated_at', ${exactTime('item.updated_at')}) as item from (
       select ${feedbackColumns} from ${feedbackTables}
       where said.project_id = $1 and ($2::timestamptz is null or (said.created_at, said.id) < ($2, $3::uuid))
       order by said.created_at desc, said.id desc limit $4
     ) item order by item.created_at desc, item.id desc`,
    [read.dsnId, read.after?.created_at ?? null, read.after?.id ?? null, read.limit],
  )
  return rows.map(({ item }) => item)
}

export async function countFeedback(pg: Database, dsnId: number) {
  const { rows } = await pg.query<{
    status: FeedbackStatus
    type: FeedbackType
    archived: boolean
    count: number
  }>(
    `select status, type, archived, count(*)::int as count from feedback where project_id = $1
     group by status, type, archived`,
    [dsnId],
  )
  return rows
}
