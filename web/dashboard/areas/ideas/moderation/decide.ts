import { decideWithUndo } from '../../../http/held-decisions.ts'
import { type Body, request } from '../../../http/request.ts'
import type { Item } from '../../../http/use-pages.ts'
import { commentsForTeam, ideaRead, ideasList } from '../common/idea.ts'

export const moderationList = 'GET /api/v1/admin/portal/{project_id}/moderation' as const
export type QueueItem = Item<typeof moderationList>
type IdeaDecision = Body<'POST /api/v1/admin/portal/{project_id}/moderation/ideas/{item_id}'>

const done = {
  approve: 'Approved.',
  approve_and_trust: 'Approved. Later texts of this user are published at once.',
  reject: 'Declined.',
  block: 'Blocked the user and declined everything that was pending.',
} as const satisfies Record<IdeaDecision['decision'], string>

export function sendDecision(
  projectId: string,
  item: Pick<QueueItem, 'id' | 'kind'>,
  decision: IdeaDecision,
): Promise<unknown> {
  const input = { params: { project_id: projectId, item_id: item.id }, body: decision }
  return item.kind === 'idea'
    ? request('POST /api/v1/admin/portal/{project_id}/moderation/ideas/{item_id}', input)
    : request('POST /api/v1/admin/portal/{project_id}/moderation/comments/{item_id}', input)
}

/** Takes the item out of the list at once and sends the decision when undo is over. */
export function decide(projectId: string, item: QueueItem, decision: IdeaDecision): void {
  decideWithUndo(
    {
      id: item.id,
      send: () => sendDecision(projectId, item, decision),
      refetch: readsOfModeration,
      title: item.title,
    },
    done[decision.decision],
  )
}

export const readsOfModeration = [
  moderationList,
  commentsForTeam,
  ideasList,
  ideaRead,
  'GET /api/v1/projects/{project_id}/overview',
] as const
