/** Ideas for the team: with their authors, and pending or rejected ones too. */
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { AdminIdea, AdminIdeaQuery } from '#schemas/rest/portal/idea-admin.ts'
import type { Database } from '../database.ts'
import type { IdeaName } from './idea-store.ts'
import { isoTime } from './idea-view.ts'

const columns = `i.id, i.title, i.description, i.status, i.moderation, c.vote_count, c.comment_count,
  coalesce((select json_agg(json_build_object('slug', t.slug, 'name', t.name, 'color', t.color)
    order by t.position, t.name, t.id)
    from idea_tags it join tags t on t.id = it.tag_id where it.idea_id = i.id), '[]') as tags,
  (select json_build_object('id', u.id, 'enduser_id', u.enduser_id, 'name', u.name,
    'email', coalesce(i.author_email, u.email)) from endusers u where u.id = i.author_id) as author,
  case when i.response is null then null else json_build_object('body', i.response,
    'author_name', i.response_by, 'created_at', ${isoTime('i.response_at')}) end as response,
  i.duplicate_of, ${isoTime('i.created_at')} as created_at, ${isoTime('i.updated_at')} as updated_at`

export interface ListedIdea extends AdminIdea {
  /** `created_at` with microseconds, for a cursor. */
  readonly position_at: string
}

export type IdeaPosition = readonly [votes: number, at: string, id: string]

export async function listIdeasForTeam(
  pg: Database,
  query: Omit<AdminIdeaQuery, 'cursor'> & {
    projectId: string
    after: IdeaPosition | undefined
    language: string
  },
): Promise<ListedIdea[]> {
  const values: unknown[] = [query.projectId, query.limit + 1]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['i.project_id = $1', 'c.project_id = $1']
  if (query.status !== undefined) conditions.push(`i.status = ${bind(query.status)}`)
  if (query.moderation !== undefined) conditions.push(`i.moderation = ${bind(query.moderation)}`)
  if (query.tag !== undefined && query.tag !== '') {
    conditions.push(`i.id in (select it.idea_id from idea_tags it join tags t on t.id = it.tag_id
      where t.project_id = $1 and t.slug = ${bind(query.tag)})`)
  }
  const text = query.search?.trim() ?? ''
  if (text !== '') {
    const [words, part] = [bind(text), bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`)]
    conditions.push(
      `(i.search @@ idea_query(${words}, ${bind(query.language)}, ' & ') or i.title ilike ${part})`,
    )
  }
  const order =
    query.sort === 'votes' ? '(c.vote_count, i.created_at, i.id)' : '(0, i.created_at, i.id)'
  if (query.after !== undefined) {
    const [votes, at, id] = query.after
    conditions.push(`${order} < (${bind(votes)}::int, ${bind(at)}::timestamptz, ${bind(id)}::uuid)`)
  }
  const votesFirst = query.sort === 'votes' ? 'c.vote_count desc,' : ''
  const { rows } = await pg.query<ListedIdea>(
    `select ${columns}, i.created_at::text as position_at
     from ideas i join idea_counts c on c.idea_id = i.id
     where ${conditions.join(' and ')} order by ${votesFirst} i.created_at desc, i.id desc limit $2`,
    values,
  )
  return rows
}

export async function findIdeaForTeam(
  pg: Database,
  { projectId, ideaId }: IdeaName,
): Promise<AdminIdea | undefined> {
  const { rows } = await pg.query<AdminIdea>(
    `select ${columns} from ideas i join idea_counts c on c.idea_id = i.id
     where i.project_id = $1 and i.id = $2`,
    [projectId, ideaId],
  )
  return rows[0]
}

export interface IdeaEvent {
  readonly kind: string
  readonly from_status: IdeaStatus | null
  readonly to_status: IdeaStatus | null
  readonly actor: string | null
  readonly details: Record<string, unknown>
  readonly at: string
}

const eventsMax = 500

export async function listIdeaEvents(pg: Database, ideaId: string): Promise<IdeaEvent[]> {
  const { rows } = await pg.query<IdeaEvent>(
    `select kind, from_status, to_status, actor, details, ${isoTime('at')} as at from idea_events
     where idea_id = $1 order by idea_events.at, id limit ${eventsMax}`,
    [ideaId],
  )
  return rows
}

const duplicatesMax = 500

export async function listDuplicateTitles(
  pg: Database,
  ideaId: string,
): Promise<{ id: string; title: string }[]> {
  const { rows } = await pg.query<{ id: string; title: string }>(
    `select id, title from ideas where duplicate_of = $1 order by created_at, id limit ${duplicatesMax}`,
    [ideaId],
  )
  return rows
}

export interface LockedForChange {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: IdeaStatus
  readonly response: string | null
}

/** Locks the idea against other changes until the transaction ends; votes do not wait. */
export async function lockIdea(
  pg: Database,
  { projectId, ideaId }: IdeaName,
): Promise<LockedForChange | undefined> {
  const { rows } = await pg.query<LockedForChange>(
    `select id, title, description, status, response from ideas
     where project_id = $1 and id = $2 for no key update`,
    [projectId, ideaId],
  )
  return rows[0]
}

export interface IdeaFields {
  readonly title?: string
  readonly description?: string
  readonly status?: IdeaStatus
  readonly response?: { body: string; by: string | null } | null
  readonly now: Date
}

export async function storeIdea(pg: Database, ideaId: string, fields: IdeaFields): Promise<void> {
  const values: unknown[] = [ideaId, fields.now]
  const bind = (value: unknown) => `$${values.push(value)}`
  const sets = ['updated_at = $2']
  if (fields.title !== undefined) sets.push(`title = ${bind(fields.title)}`)
  if (fields.description !== undefined) sets.push(`description = ${bind(fields.description)}`)
  if (fields.status !== undefined) sets.push(`status = ${bind(fields.status)}`)
  if (fields.response === null) {
    sets.push('response = null', 'response_by = null', 'response_at = null')
  } else if (fields.response !== undefined) {
    const { body, by } = fields.response
    sets.push(`response = ${bind(body)}`, `response_by = ${bind(by)}`, 'response_at = $2')
  }
  await pg.query(`update ideas set ${sets.join(', ')} where id = $1`, values)
}

/** Deletes the idea with its comments and votes. Returns false if it is missing. */
export async function removeIdea(pg: Database, { projectId, ideaId }: IdeaName): Promise<boolean> {
  // Replies refer to their parents, so all comments go in one statement.
  await pg.query('delete from comments where idea_id = $1 and project_id = $2', [ideaId, projectId])
  const { rowCount } = await pg.query('delete from ideas where id = $1 and project_id = $2', [
    ideaId,
    projectId,
  ])
  return rowCount === 1
}
