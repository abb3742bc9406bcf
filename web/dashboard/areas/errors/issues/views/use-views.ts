/** Saved views of the list of issues. */
import type { NewSavedViewInput, SavedView } from '../../../../generated/api.d.ts'
import { invalidateReads } from '../../../../http/query-client.ts'
import { request } from '../../../../http/request.ts'
import { type Read, useRead } from '../../../../http/use-read.ts'

const list = 'GET /api/v1/projects/{project_id}/views'

export function useViews(projectId: string): Read<readonly SavedView[]> {
  const read = useRead(list, { params: { project_id: projectId } })
  return { ...read, data: read.data?.items.filter(({ page }) => page === 'issues') }
}

export async function createView(
  projectId: string,
  { name, params, shared = false }: NewSavedViewInput,
): Promise<void> {
  await request('POST /api/v1/projects/{project_id}/views', {
    params: { project_id: projectId },
    body: { name, params, shared, page: 'issues' },
  })
  await invalidateReads(list)
}

export async function updateView(
  projectId: string,
  id: string,
  change: Partial<Pick<SavedView, 'name' | 'shared'>>,
): Promise<void> {
  await request('PATCH /api/v1/projects/{project_id}/views/{view_id}', {
    params: { project_id: projectId, view_id: id },
    body: change,
  })
  await invalidateReads(list)
}

export async function deleteView(projectId: string, id: string): Promise<void> {
  await request('DELETE /api/v1/projects/{project_id}/views/{view_id}', {
    params: { project_id: projectId, view_id: id },
  })
  await invalidateReads(list)
}
