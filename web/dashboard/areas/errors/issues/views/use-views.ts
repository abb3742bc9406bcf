/** Saved views: the calls of `GET/POST/PATCH/DELETE views`, in one place. */
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { type Read, useRead } from '../../../../http/use-read.ts'

export interface SavedView {
  readonly id: string
  readonly page: string
  readonly name: string
  /** The query of the page's address. */
  readonly params: string
  readonly shared: boolean
  readonly position: number
}

type SavedViewFields = Pick<SavedView, 'name' | 'params' | 'shared'>

const path = '/api/v1/projects/{project_id}/views'
const list = `GET ${path}`

export function useViews(projectId: string): Read<readonly SavedView[]> {
  const input = { params: { project_id: projectId } }
  const read = useRead(list as never, input as never) as Read<{ items: readonly SavedView[] }>
  return { ...read, data: read.data?.items.filter(({ page }) => page === 'issues') }
}

export async function createView(projectId: string, view: SavedViewFields): Promise<void> {
  const body = { ...view, page: 'issues' }
  await request(`POST ${path}` as never, { params: { project_id: projectId }, body } as never)
  await invalidateReads(list)
}

export async function updateView(
  projectId: string,
  id: string,
  change: Partial<SavedViewFields>,
): Promise<void> {
  const params = { project_id: projectId, view_id: id }
  await request(`PATCH ${path}/{view_id}` as never, { params, body: change } as never)
  await invalidateReads(list)
}

export async function deleteView(projectId: string, id: string): Promise<void> {
  const params = { project_id: projectId, view_id: id }
  await request(`DELETE ${path}/{view_id}` as never, { params } as never)
  await invalidateReads(list)
}
