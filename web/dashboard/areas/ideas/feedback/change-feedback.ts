/** Changes feedback at once in every list, with undo. */
import { editItems, editReply } from '../../../http/edit-cache.ts'
import { type Body, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import {
  type Feedback,
  type FeedbackFilters,
  feedbackRead,
  feedbackStats,
  inboxList,
  isListed,
} from './feedback-view.ts'

type Change = Body<'PATCH /api/v1/admin/feedback/{project_id}/{feedback_id}'>

const refetch = [
  inboxList,
  feedbackRead,
  feedbackStats,
  'GET /api/v1/projects/{project_id}/overview',
]

interface FeedbackChange {
  readonly projectId: string
  readonly items: readonly Feedback[]
  readonly change: Change
  /** Of the list on the screen: an item that no longer fits leaves it. */
  readonly filters: FeedbackFilters
  readonly done: string
}

export async function changeFeedback(given: FeedbackChange): Promise<void> {
  const { projectId, items, change, filters, done } = given
  const ids = new Set(items.map(({ id }) => id))
  const apply = () => {
    const edit = (item: Feedback): Feedback => (ids.has(item.id) ? { ...item, ...change } : item)
    const restoreLists = editItems(inboxList, (item) => {
      const after = edit(item)
      return after === item || isListed(filters, after) ? after : undefined
    })
    const isOne = ({ feedback_id: id }: Readonly<Record<string, unknown>>) => ids.has(String(id))
    const restoreReads = editReply(feedbackRead, isOne, edit)
    return () => {
      restoreLists()
      restoreReads()
    }
  }
  await runChange({
    apply,
    send: () => sendChange(projectId, [...ids], change),
    done,
    undo: () => undoChange(projectId, items, change),
    refetch,
  })
}

function sendChange(projectId: string, ids: readonly string[], change: Change): Promise<unknown> {
  const params = { project_id: projectId }
  const [id] = ids
  if (ids.length === 1 && id !== undefined) {
    return request('PATCH /api/v1/admin/feedback/{project_id}/{feedback_id}', {
      params: { ...params, feedback_id: id },
      body: change,
    })
  }
  return request('POST /api/v1/admin/feedback/{project_id}/bulk', { params, body: { ids, change } })
}

/** Items that had the same state before go back in one request. */
async function undoChange(
  projectId: string,
  items: readonly Feedback[],
  change: Change,
): Promise<unknown> {
  const groups = new Map<string, { before: Change; ids: string[] }>()
  for (const { id, status, type, archived } of items) {
    // The status as well: the type of a new item makes it active.
    const before: Change = {
      status,
      ...(change.type === undefined ? {} : { type }),
      ...(change.archived === undefined ? {} : { archived }),
    }
    const key = JSON.stringify(before)
    const group = groups.get(key) ?? { before, ids: [] }
    group.ids.push(id)
    groups.set(key, group)
  }
  for (const { before, ids } of groups.values()) await sendChange(projectId, ids, before)
  return true
}

export async function deleteFeedback(
  projectId: string,
  ids: readonly string[],
): Promise<true | undefined> {
  return runChange({
    send: async () => {
      await request('POST /api/v1/admin/feedback/{project_id}/bulk', {
        params: { project_id: projectId },
        body: { ids, delete: true },
      })
      return true as const
    },
    done: ids.length === 1 ? 'Deleted the feedback.' : `Deleted ${ids.length} items.`,
    refetch,
  })
}
