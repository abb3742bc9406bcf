import { useLocation } from 'preact-iso'
import { useRead } from '../http/use-read.ts'
import { projectIdIn, rememberProject } from '../url/use-project.ts'

/** The project of the page. Another choice opens the same page of that project. */
export function ProjectSelect({ projectId }: { readonly projectId: string | undefined }) {
  const { path, route } = useLocation()
  const projects = useRead('GET /api/v1/organization/projects', {}).data?.items ?? []
  if (projects.length === 0) return null
  const change = (id: string) => {
    if (id === 'new') return route('/organization/projects')
    rememberProject(id)
    const page = projectIdIn(path) === undefined ? 'issues' : (path.split('/')[3] ?? 'issues')
    return route(`/projects/${id}/${page}`)
  }
  return (
    <select
      class="input select project-select"
      aria-label="Project"
      value={projectId ?? ''}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      <option value="new">All projects…</option>
    </select>
  )
}
