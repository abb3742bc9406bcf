import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import type { Item } from '../../../http/use-pages.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { ideaRead, ideasList } from '../shared/idea.ts'
import { holdDecision } from './held-decisions.ts'

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
  const takeBack = holdDecision({
    id: item.id,
    send: () => sendDecision(projectId, item, decision),
    settled: async (error) => {
      await refreshModeration()
      if (error === undefined) return
      const requestId = asProblem(error)?.requestId
      const text = `${item.title}: ${error.message}`
      showToast({ kind: 'error', text, ...(requestId === undefined ? {} : { requestId }) })
    },
  })
  const undo = () => {
    if (takeBack()) return
    showToast({ kind: 'error', text: 'It is too late to undo: the decision is stored.' })
  }
  showToast({
    kind: 'done',
    text: done[decision.decision],
    action: { label: 'Undo', run: undo },
  })
}

export function refreshModeration(): Promise<unknown> {
  return invalidateReads(
    moderationList,
    ideasList,
    ideaRead,
    'GET /api/v1/projects/{project_id}/overview',
  )
}
