/** Comments for the team: all of a portal, with their authors, also pending and rejected ones. */
import type { AdminComment, AdminCommentQuery } from '#schemas/rest/portal/comment-admin.ts'
import type { Database } from '../database.ts'
import { isoTime } from '../ideas/idea-view.ts'

export interface ListedComment extends AdminComment {
  /** `created_at` with microseconds, for a cursor. */
  readonly position_at: string
}

const columns = `c.id, json_build_object('id', i.id, 'title', i.title) as idea, c.parent_id, c.body,
  case when u.id is not null then json_build_object('id', u.id, 'enduser_id', u.enduser_id,
    'name', u.name, 'email', coalesce(c.author_email, u.email)) end as author,
  c.author_name, c.is_team, c.moderation,
  ${isoTime('c.created_at')} as created_at, ${isoTime('c.updated_at')} as updated_at`

/** Newest first, without deleted comments. */
export async function listCommentsForTeam(
  pg: Database,
  query: Omit<AdminCommentQuery, 'cursor'> & {
    projectId: string
    after: readonly [at: string, id: string] | undefined
  },
): Promise<ListedComment[]> {
  const values: unknown[] = [query.projectId, query.limit + 1]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['c.project_id = $1', 'c.deleted_at is null']
  const { moderation, idea_id: ideaId, author, search, after } = query
  if (moderation !== undefined) conditions.push(`c.moderation = ${bind(moderation)}`)
  if (ideaId !== undefined) conditions.push(`c.idea_id = ${bind(ideaId)}`)
  if (author === 'team') conditions.push('c.is_team')
  else if (author !== undefined) conditions.push(`c.author_id = ${bind(author)}`)
  const text = search?.trim() ?? ''
  if (text !== '') conditions.push(`strpos(lower(c.body), lower(${bind(text)})) > 0`)
  if (after !== undefined) {
    conditions.push(
      `(c.created_at, c.id) < (${bind(after[0])}::timestamptz, ${bind(after[1])}::uuid)`,
    )
  }
  const { rows } = await pg.query<ListedComment>(
    `select ${columns}, to_json(c.created_at)#>>'{}' as position_at
     from comments c join ideas i on i.id = c.idea_id left join endusers u on u.id = c.author_id
     where ${conditions.join(' and ')} order by c.created_at desc, c.id desc limit $2`,
    values,
  )
  return rows
}
