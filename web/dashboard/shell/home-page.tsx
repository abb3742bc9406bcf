import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ButtonLink } from '../design/button.tsx'
import { Page } from '../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../design/content/states.tsx'
import { useRead } from '../http/use-read.ts'
import { lastProject } from '../url/use-project.ts'
import { useOverview } from './use-overview.ts'

/** Opens the last project: its issues, or while it has no events, how to send the first one. */
export function HomePage() {
  const { route } = useLocation()
  const projects = useRead('GET /api/v1/organization/projects', {})
  const items = projects.data?.items
  const last = lastProject()
  const project = items?.find(({ id }) => id === last) ?? items?.[0]
  const overview = useOverview(project?.id)
  const hasEvents = overview.data?.has_events ?? (overview.problem === undefined ? undefined : true)
  useEffect(() => {
    if (project === undefined || hasEvents === undefined) return
    route(`/projects/${project.id}/${hasEvents ? 'issues' : 'setup'}`, true)
  }, [project?.id, hasEvents])
  if (projects.problem !== undefined) {
    return (
      <Page title="Home">
        <ProblemBox problem={projects.problem} onRetry={projects.refetch} />
      </Page>
    )
  }
  if (items === undefined || project !== undefined) {
    return (
      <Page title="Home">
        <Skeleton />
      </Page>
    )
  }
  return (
    <Page title="Home">
      <EmptyState icon="layers" title="This organization has no project yet">
        <p>A project collects the errors, ideas and feedback of one product.</p>
        <ButtonLink kind="primary" icon="plus" href="/organization/projects">
          Create a project
        </ButtonLink>
      </EmptyState>
    </Page>
  )
}
