import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { ideaRead, ideasList } from './idea.ts'

interface Merge {
  readonly projectId: string
  readonly ideaId: string
  readonly into: { readonly id: string; readonly title: string }
  /** Before the merge, such as publishing a pending idea. */
  readonly before?: () => Promise<unknown>
}

/** Undefined when it failed; the person has been told. */
export function mergeIdea({ projectId, ideaId, into, before }: Merge): Promise<unknown> {
  const params = { project_id: projectId, idea_id: ideaId }
  return runChange({
    send: async () => {
      await before?.()
      return request('POST /api/v1/admin/portal/{project_id}/ideas/{idea_id}/merge', {
        params,
        body: { into: into.id },
      })
    },
    done: `Merged into “${into.title}”.`,
    undo: () =>
      request('POST /api/v1/admin/portal/{project_id}/ideas/{idea_id}/unmerge', { params }),
    refetch: [
      ideaRead,
      ideasList,
      'GET /api/v1/admin/portal/{project_id}/moderation',
      'GET /api/v1/p/{project_key}/ideas/stats',
    ],
  })
}
