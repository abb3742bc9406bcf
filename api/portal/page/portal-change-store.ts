import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../../database.ts'

export interface PortalChange {
  readonly id: string
  readonly ideaId: string
  readonly title: string
  /** Status after the change. */
  readonly status: IdeaStatus
  /** Current response of the team. */
  readonly response: string | null
  readonly at: Date
}

/** Changes of status and response of published ideas, newest first. */
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
