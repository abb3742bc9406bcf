/**
 * Events about ideas for the webhooks of their organization. Call these in the transaction of the
 * cause, after it. Imports do not call them: they may create thousands of ideas at once. Nothing
 * that waits for a moderator, or was rejected, is an event.
 */
import type { Database } from '../../database.ts'

const subject = `jsonb_build_object(
  'project', jsonb_build_object('id', p.id, 'name', p.name),
  'idea', jsonb_build_object('id', i.id, 'title', i.title, 'status', i.status))`

export interface IdeaChangeEvent {
  readonly ideaId: string
  readonly now: Date
}

export async function feedIdeaCreated(
  pg: Database,
  { ideaId, now }: IdeaChangeEvent,
): Promise<void> {
  await pg.query(
    `select emit_event(p.organization_id, 'idea.created', ${subject}, $2)
       from ideas i join projects p on p.id = i.project_id
      where i.id = $1 and i.moderation = 'published' and is_fed(p.organization_id, '{idea.created}')`,
    [ideaId, now],
  )
}

export async function feedIdeaStatus(
  pg: Database,
  { ideaId, from, to, now }: IdeaChangeEvent & { readonly from: string; readonly to: string },
): Promise<void> {
  await pg.query(
    `select emit_event(p.organization_id, 'idea.status_changed',
         ${subject} || jsonb_build_object('from', $2::text, 'to', $3::text), $4)
       from ideas i join projects p on p.id = i.project_id
      where i.id = $1 and i.moderation = 'published' and is_fed(p.organization_id, '{idea.status_changed}')`,
    [ideaId, from, to, now],
  )
}

export async function feedIdeaComment(
  pg: Database,
  { commentId, now }: { readonly commentId: string; readonly now: Date },
): Promise<void> {
  await pg.query(
    `select emit_event(p.organization_id, 'idea.commented',
         ${subject} || jsonb_build_object('comment', jsonb_build_object('id', c.id, 'parent_id', c.parent_id,
           'body', c.body, 'author_name', c.author_name, 'is_team', c.is_team)), $2)
       from comments c join ideas i on i.id = c.idea_id join projects p on p.id = i.project_id
      where c.id = $1 and c.moderation = 'published' and c.deleted_at is null
        and is_fed(p.organization_id, '{idea.commented}')`,
    [commentId, now],
  )
}
