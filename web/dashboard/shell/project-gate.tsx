import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Button, ButtonLink } from '../design/button.tsx'
import { Page } from '../design/content/page.tsx'
import { EmptyState } from '../design/content/states.tsx'
import { asProblem } from '../http/problem.ts'
import { runChange } from '../http/run-change.ts'
import { me, switchOrganization } from '../session/session.ts'
import { projectIdIn } from '../url/use-project.ts'
import { NotFoundPage } from './not-found-page.tsx'
import { useOverview } from './use-overview.ts'

/**
 * The pages, unless the address names a project that the person cannot open: then it says why and
 * where to go on, instead of each page with an error of its own.
 */
export function ProjectGate({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation()
  const projectId = projectIdIn(path)
  const problem = asProblem(useOverview(projectId).problem)
  if (path.startsWith('/projects/') && projectId === undefined) return <NotFoundPage />
  const organizationId = problem?.ruleOf('organization_id')
  if (problem?.code === 'other_organization' && organizationId !== undefined) {
    return <OtherOrganization id={organizationId} />
  }
  return problem?.status === 404 ? <UnknownProject /> : children
}

function OtherOrganization({ id }: { readonly id: string }) {
  const name = me.value?.organizations.find((one) => one.id === id)?.name ?? 'another one'
  return (
    <Page title="Another organization">
      <EmptyState icon="people" title={`This project belongs to ${name}`}>
        <p>You are in {me.value?.organization.name} now. Switch to see it.</p>
        <Button
          kind="primary"
          onClick={() => void runChange({ send: () => switchOrganization(id) })}
        >
          Switch to {name}
        </Button>
      </EmptyState>
    </Page>
  )
}

function UnknownProject() {
  return (
    <Page title="No such project">
      <EmptyState icon="layers" title="There is no project at this address">
        <p>It was deleted, the address is wrong, or you are not a member of its organization.</p>
        <ButtonLink href="/organization/projects">Show the projects</ButtonLink>
      </EmptyState>
    </Page>
  )
}
