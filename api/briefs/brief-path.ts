import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'

/** The URL of `path` below the API routes of a project. */
export function publicPath(
  { apiUrl }: Pick<ApiContext, 'apiUrl'>,
  { id }: StoredProject,
  path: string,
): string {
  return `${apiUrl}/api/v1/projects/${id}/${path}`
}
