import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../../database.ts'

export interface PortalChange {
  readonly id: string
  readonly ideaId: string
  readonly title: string
  /** After the change. */
  readonly status: IdeaStatus
  /** The team's answer as it is now. */
  readonly response: string | null
  readonly at: Date
}

/** What became of a portal's ideas, the newest first; only what everybody may see. */
export async function listPortalChanges(
  pg: Database,
  list: { projectId: string; limit: number },
): Promise<readonly PortalChange[]> {
  const { rows } = await pg.query<{
    id: string
    idea_id: string
    title: string
    status: IdeaStatus
    response: string | null
    at: Date
  }>(
    `select change.id, change.idea_id, idea.title, coalesce(change.to_status, idea.status) as status, idea.response, change.at
     from idea_events change join ideas idea on idea.id = change.idea_id
     where idea.project_id = $1 and idea.moderation = 'published' and change.kind in ('status', 'response')
     order by change.at desc, change.id desc limit $2`,
    [list.projectId, list.limit],
  )
  return rows.map(({ idea_id, ...row }) => ({ ...row, ideaId: idea_id }))
}
