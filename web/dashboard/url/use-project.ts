/** The project of the page, `/projects/{project_id}/…`; the last one is remembered. */
import { useLocation } from 'preact-iso'

const lastProjectKey = 'sluice.project'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function projectIdIn(path: string): string | undefined {
  const [, first, id] = path.split('/')
  return first === 'projects' && id !== undefined && uuid.test(id) ? id.toLowerCase() : undefined
}

/** Only on pages below a project. */
export function useProjectId(): string {
  const { path } = useLocation()
  return projectIdIn(path) ?? ''
}

export function projectPath(projectId: string, page: string): string {
  return `/projects/${projectId}/${page}`
}

export function rememberProject(projectId: string): void {
  try {
    localStorage.setItem(lastProjectKey, projectId)
  } catch {
    // Storage may be switched off; then the first project opens.
  }
}

export function lastProject(): string | undefined {
  try {
    return localStorage.getItem(lastProjectKey) ?? undefined
  } catch {
    return undefined
  }
}
