import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { type Idea, ideaRead, ideasList, isSettable, type SettableStatus } from '../common/idea.ts'
import { showIdea } from './place-idea.ts'

/** Changes the status at once, with undo. Voters are told only after five minutes. */
export async function changeStatus(
  projectId: string,
  idea: Idea,
  status: SettableStatus,
): Promise<void> {
  if (idea.status === status) return
  const params = { project_id: projectId, idea_id: idea.id }
  const send = (to: SettableStatus) =>
    request('PATCH /api/v1/admin/portal/{project_id}/ideas/{idea_id}', {
      params,
      body: { status: to },
    })
  const before = idea.status
  await runChange({
    send: () => send(status),
    apply: () => showIdea({ ...idea, status }),
    done: `Moved to ${status}. Voters are notified in five minutes.`,
    ...(isSettable(before) ? { undo: () => send(before) } : {}),
    refetch: [ideasList, ideaRead],
  })
}
