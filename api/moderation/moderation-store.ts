/**
 * Pending ideas and comments. A decision is an update with the condition `pending`, so only the
 * first of two moderators decides. That transaction also updates counts, history and notifications.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database.ts'

export type QueueKind = 'idea' | 'comment'

export interface QueueRow {
  readonly kind: QueueKind
  readonly id: string
  readonly ideaId: string
  readonly title: string
  readonly text: string
  readonly authorRowId: string | null
  readonly enduserId: string | null
  readonly authorName: string | null
  readonly publishedCount: number
  readonly createdAt: Date
  readonly cursorTime: string
}

const queue = `
  select 'idea' kind, i.id, i.id idea_id, i.title, i.description text, i.author_id, i.created_at from ideas i
    where i.project_id = $1 and i.moderation = 'pending' and ($2::text is null or $2 = 'idea')
  union all
  select 'comment', c.id, c.idea_id, i.title, c.body, c.author_id, c.created_at from comments c join ideas i on i.id = c.idea_id
    where c.project_id = $1 and c.moderation = 'pending' and c.deleted_at is null and ($2::text is null or $2 = 'comment')`

/** Oldest first. */
export async function listQueue(
  pg: Database,
  query: {
    projectId: string
    kind: QueueKind | undefined
    after: readonly [time: string, id: string] | undefined
    rowsMax: number
  },
): Promise<QueueRow[]> {
  const { rows } = await pg.query<QueueRow>(
    `select q.kind, q.id, q.idea_id "ideaId", q.title, q.text, q.author_id "authorRowId", u.enduser_id "enduserId",
       u.name "authorName", q.created_at "createdAt", to_json(q.created_at)#>>'{}' "cursorTime",
       (select count(*)::int from ideas o where o.author_id = u.id and o.moderation = 'published')
         + (select count(*)::int from comments o where o.author_id = u.id and o.moderation = 'published') "publishedCount"
     from (select * from (${queue}) w where $3::timestamptz is null or (created_at, id) > ($3, $4::uuid)
       order by created_at, id limit $5) q
     left join endusers u on u.id = q.author_id order by q.created_at, q.id`,
    [
      query.projectId,
      query.kind ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.rowsMax,
    ],
  )
  return rows
}

export async function countQueue(
  pg: Database,
  { projectId, kind }: { projectId: string; kind: QueueKind | undefined },
): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    `select count(*)::int count from (${queue}) q`,
    [projectId, kind ?? null],
  )
  return rows[0]?.count ?? 0
}

export interface DecidedItem {
  readonly ideaId: string
  readonly authorId: string | null
}

export interface ItemDecision {
  readonly projectId: string
  readonly id: string
  readonly to: 'published' | 'rejected'
  /** Name of the moderator. */
  readonly actor: string
  readonly reason: string | undefined
  readonly now: Date
}

/** Undefined: the idea is not pending. */
export async function decideIdea(
  pg: Database,
  decision: ItemDecision,
): Promise<DecidedItem | undefined> {
  const { rows } = await pg.query<DecidedItem>(
    `update ideas set moderation = $3, updated_at = $4
     where id = $1 and project_id = $2 and moderation = 'pending' returning id "ideaId", author_id "authorId"`,
    [decision.id, decision.projectId, decision.to, decision.now],
  )
  const [decided] = rows
  if (decided === undefined) return undefined
  const kind = decision.to === 'published' ? 'approved' : 'rejected'
  const details = decision.reason === undefined ? {} : { reason: decision.reason }
  await pg.query(
    'insert into idea_events (id, idea_id, kind, actor, details, at) values ($1, $2, $3, $4, $5, $6)',
    [uuidv7(), decided.ideaId, kind, decision.actor, JSON.stringify(details), decision.now],
  )
  return decided
}

/** A published comment is added to the count of its idea. Undefined: the comment is not pending. */
export async function decideComment(
  pg: Database,
  { id, projectId, to, now }: Pick<ItemDecision, 'id' | 'projectId' | 'to' | 'now'>,
): Promise<DecidedItem | undefined> {
  const { rows } = await pg.query<DecidedItem>(
    `with decided as (
       update comments set moderation = $3, updated_at = $4
       where id = $1 and project_id = $2 and moderation = 'pending' and deleted_at is null
       returning idea_id, author_id, moderation
     ), counted as (
       update idea_counts set comment_count = comment_count + 1
         where idea_id in (select idea_id from decided where moderation = 'published')
     )
     select idea_id "ideaId", author_id "authorId" from decided`,
    [id, projectId, to, now],
  )
  return rows[0]
}

/** Pending ideas and comments of a user, oldest first. */
export async function listPendingOf(
  pg: Database,
  { projectId, authorId, rowsMax }: { projectId: string; authorId: string; rowsMax: number },
): Promise<{ kind: QueueKind; id: string }[]> {
  const { rows } = await pg.query<{ kind: QueueKind; id: string }>(
    `select kind, id from (${queue}) q where author_id = $3 order by created_at, id limit $4`,
    [projectId, null, authorId, rowsMax],
  )
  return rows
}

/** Whether the idea or comment exists, pending or not. */
export async function isInProject(
  pg: Database,
  { projectId, kind, id }: { projectId: string; kind: QueueKind; id: string },
): Promise<boolean> {
  const table = kind === 'idea' ? 'ideas' : 'comments'
  const { rows } = await pg.query(`select from ${table} where id = $1 and project_id = $2`, [
    id,
    projectId,
  ])
  return rows.length > 0
}
