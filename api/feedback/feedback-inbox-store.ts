/** Reads keyset pages of feedback for people, by what it is about. */
import type { FeedbackInboxQuery } from '#schemas/rest/portal/feedback-inbox.ts'
import type { Postgres } from '../database.ts'
import { feedbackColumns, feedbackTables, type StoredFeedback } from './feedback-store.ts'
import { messageSearch } from './message-search.ts'

/** A list that takes longer is cancelled and answered with 503. */
const statementMsMax = 2_000

export interface InboxFilter
  extends Pick<
    FeedbackInboxQuery,
    'status' | 'type' | 'search' | 'archived' | 'issue_id' | 'person' | 'version'
  > {
  readonly dsnId: number
  readonly after: readonly [time: string, id: string] | undefined
  readonly rowsMax: number
}

/** With the time of the row as Postgres prints it, for the cursor. */
export type InboxRow = StoredFeedback & { readonly cursor_time: string }

/** Newest first. */
export async function listInbox(pg: Postgres, filter: InboxFilter): Promise<readonly InboxRow[]> {
  const values: unknown[] = [filter.dsnId, filter.archived ?? false]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['said.project_id = $1', 'said.archived = $2']
  const { status, type, issue_id, person, version, after } = filter
  if (status !== undefined) conditions.push(`said.status = any(${bind(status)}::text[])`)
  if (type !== undefined) conditions.push(`said.type = ${bind(type)}`)
  if (version !== undefined) conditions.push(`said.version = ${bind(version)}`)
  if (issue_id !== undefined) {
    conditions.push(
      `said.event_hash in (select hash from issue_hashes where project_id = $1 and issue_id = ${bind(issue_id)}::uuid)`,
    )
  }
  if (person !== undefined) {
    const name = bind(person)
    conditions.push(`(said.enduser_id = ${name} or lower(said.person_email) = lower(${name}))`)
  }
  const search = messageSearch(filter.search)
  if (search !== undefined) {
    const [words, pattern] = [bind(search.words), bind(search.pattern)]
    conditions.push(
      `(said.search @@ to_tsquery('simple', coalesce(${words}::text, '')) or said.message ilike ${pattern})`,
    )
  }
  if (after !== undefined) {
    const [time, id] = [bind(after[0]), bind(after[1])]
    conditions.push(`(said.created_at, said.id) < (${time}::timestamptz, ${id}::uuid)`)
  }
  const statement = `select to_jsonb(item) || jsonb_build_object('cursor_time', item.created_at) as item
    from (select ${feedbackColumns} from ${feedbackTables} where ${conditions.join(' and ')}
      order by said.created_at desc, said.id desc limit ${bind(filter.rowsMax)}) item
    order by item.created_at desc, item.id desc`
  const { rows } = await pg.transaction(async (client) => {
    await client.query(`set local statement_timeout = ${statementMsMax}`)
    return client.query<{ item: InboxRow }>(statement, values)
  })
  return rows.map(({ item }) => item)
}
