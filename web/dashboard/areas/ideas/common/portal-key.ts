import { useRead } from '../../../http/use-read.ts'

/** The key of the project's portal, from the list of projects that the frame has read already. */
export function usePortalKey(projectId: string): string | undefined {
  const projects = useRead('GET /api/v1/organization/projects', {}).data?.items
  return projects?.find(({ id }) => id === projectId)?.project_key
}
