/**
 * Comments of ideas. `root_id` is the top-level comment of a thread, so a page of threads takes
 * two queries at any depth. A deleted comment keeps its row. It is shown empty while it has live
 * replies, and not at all without them.
 */
import type { Database } from '../database.ts'

export interface CommentRow {
  readonly id: string
  readonly parentId: string | null
  readonly rootId: string
  readonly depth: number
  readonly body: string
  readonly authorName: string | null
  readonly isTeam: boolean
  readonly moderation: 'published' | 'pending' | 'rejected'
  readonly deletedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** For a top-level comment of a merged idea: the idea on which it was written. */
  readonly fromIdeaId?: string | null
  readonly fromIdeaTitle?: string | null
}

export interface IdeaOfComments {
  readonly id: string
  readonly moderation: 'published' | 'pending' | 'rejected'
}

const columns = `c.id, c.parent_id "parentId", c.root_id "rootId", c.depth, c.body, c.author_name "authorName",
  c.is_team "isTeam", c.moderation, c.deleted_at "deletedAt", c.created_at "createdAt", c.updated_at "updatedAt"`

/** @param viewer parameter with the row id of the visitor, or null. */
const isVisible = (comment: string, viewer: string) =>
  `(${comment}.moderation = 'published' or (${comment}.moderation = 'pending' and ${comment}.author_id = ${viewer}))`

/**
 * The idea and its duplicates: comments of a duplicate stay there and are shown with those of the
 * original.
 */
const mergedWith = (idea: string) => `(select ${idea}::uuid union all
  select id from ideas where duplicate_of = ${idea}::uuid and moderation = 'published')`

const isShownRoot = `c.idea_id in ${mergedWith('$1')} and c.parent_id is null and ${isVisible('c', '$2::uuid')}
  and (c.deleted_at is null or exists (select from comments r where r.root_id = c.id and r.id <> c.id
    and r.deleted_at is null and ${isVisible('r', '$2::uuid')}))`

const isVisibleIdea = `select id, moderation from ideas where id = $1 and project_id = $2
  and (moderation = 'published' or (moderation = 'pending' and author_id = $3::uuid))`

export interface IdeaOfViewer {
  readonly projectId: string
  readonly ideaId: string
  /** Row id of the visitor. Null: anonymous, or a visitor without a row. */
  readonly viewerId: string | null
}

/** The idea if the visitor may see it: a published one, or an own pending one. */
export async function findIdeaOfComments(
  pg: Database,
  { ideaId, projectId, viewerId }: IdeaOfViewer,
): Promise<IdeaOfComments | undefined> {
  const values = [ideaId, projectId, viewerId]
  const { rows } = await pg.query<IdeaOfComments>(isVisibleIdea, values)
  return rows[0]
}

/**
 * Like `findIdeaOfComments`, and locks the idea, so that it is not deleted before the comment is
 * added.
 */
export async function lockIdeaOfComments(
  pg: Database,
  { ideaId, projectId, viewerId }: IdeaOfViewer,
): Promise<IdeaOfComments | undefined> {
  const values = [ideaId, projectId, viewerId]
  const { rows } = await pg.query<IdeaOfComments>(`${isVisibleIdea} for key share`, values)
  return rows[0]
}

/** Top-level comments, oldest first, and their total in the same snapshot. */
export async function listRoots(
  pg: Database,
  page: { ideaId: string; viewerId: string | null; offset: number; limit: number },
): Promise<{ roots: CommentRow[]; total: number }> {
  const { rows } = await pg.query<CommentRow & { total: string; id: string | null }>(
    `select t.total, ${columns}, o.id "fromIdeaId", o.title "fromIdeaTitle"
     from (select count(*) total from comments c where ${isShownRoot}) t
     left join (select * from comments c where ${isShownRoot} order by c.created_at, c.id limit $3 offset $4) c on true
     left join ideas o on o.id = c.idea_id and c.idea_id <> $1
     order by c.created_at, c.id`,
    [page.ideaId, page.viewerId, page.limit, page.offset],
  )
  return {
    roots: rows.filter((row) => row.id !== null),
    total: Number(rows[0]?.total ?? 0),
  }
}

/** All replies of the threads that the visitor may see, deleted ones too, oldest first. */
export async function listReplies(
  pg: Database,
  thread: { rootIds: readonly string[]; viewerId: string | null },
): Promise<CommentRow[]> {
  if (thread.rootIds.length === 0) return []
  const { rows } = await pg.query<CommentRow>(
    `select ${columns} from comments c where c.root_id = any($1::uuid[]) and c.parent_id is not null
       and ${isVisible('c', '$2::uuid')} order by c.created_at, c.id`,
    [thread.rootIds, thread.viewerId],
  )
  return rows
}

/** A published comment that is shown with the idea; a reply belongs to the idea of its parent. */
export async function findParent(
  pg: Database,
  { ideaId, parentId }: { ideaId: string; parentId: string },
): Promise<{ rootId: string; depth: number; ideaId: string } | undefined> {
  const { rows } = await pg.query<{ rootId: string; depth: number; ideaId: string }>(
    `select root_id "rootId", depth, idea_id "ideaId" from comments
     where id = $1 and idea_id in ${mergedWith('$2')} and moderation = 'published' and deleted_at is null`,
    [parentId, ideaId],
  )
  return rows[0]
}

/** Number of replies of the thread; locks it against new ones. */
export async function countRepliesLocked(pg: Database, rootId: string): Promise<number> {
  await pg.query('select from comments where id = $1 for update', [rootId])
  const { rows } = await pg.query<{ count: string }>(
    'select count(*) from comments where root_id = $1 and id <> $1',
    [rootId],
  )
  return Number(rows[0]?.count ?? 0)
}

export interface NewCommentRow {
  readonly id: string
  readonly projectId: string
  readonly ideaId: string
  readonly parentId: string | null
  readonly rootId: string
  readonly depth: number
  readonly body: string
  /** Null: the team. */
  readonly authorId: string | null
  readonly authorName: string | null
  readonly authorEmail: string | null
  readonly isTeam: boolean
  readonly moderation: 'published' | 'pending'
  readonly now: Date
}

/** The statement also counts the comment for its idea, if it is published. */
export async function insertComment(pg: Database, comment: NewCommentRow): Promise<void> {
  await pg.query(
    `with added as (
       insert into comments (id, project_id, idea_id, parent_id, root_id, depth, body, author_id, author_name,
         author_email, is_team, moderation, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) returning idea_id, moderation
     )
     update idea_counts set comment_count = comment_count + 1
       where idea_id in (select idea_id from added where moderation = 'published')`,
    [
      comment.id,
      comment.projectId,
      comment.ideaId,
      comment.parentId,
      comment.rootId,
      comment.depth,
      comment.body,
      comment.authorId,
      comment.authorName,
      comment.authorEmail,
      comment.isTeam,
      comment.moderation,
      comment.now,
    ],
  )
}

/** Empties the comment and marks it as deleted. Returns false if it is missing or deleted. */
export async function markCommentDeleted(
  pg: Database,
  comment: { projectId: string; commentId: string; now: Date },
): Promise<boolean> {
  const { rows } = await pg.query<{ id: string }>(
    `with gone as (
       update comments set deleted_at = $3, updated_at = $3, body = '', author_email = null
       where id = $1 and project_id = $2 and deleted_at is null returning id, idea_id, moderation
     ), counted as (
       update idea_counts set comment_count = comment_count - 1
         where idea_id in (select idea_id from gone where moderation = 'published')
     )
     select id from gone`,
    [comment.commentId, comment.projectId, comment.now],
  )
  return rows.length === 1
}

/** Returns undefined if the comment is missing or deleted. */
export async function storeCommentBody(
  pg: Database,
  comment: { projectId: string; commentId: string; body: string; now: Date },
): Promise<CommentRow | undefined> {
  const { rows } = await pg.query<CommentRow>(
    `update comments c set body = $3, updated_at = $4
     where c.id = $1 and c.project_id = $2 and c.deleted_at is null returning ${columns}`,
    [comment.commentId, comment.projectId, comment.body, comment.now],
  )
  return rows[0]
}
