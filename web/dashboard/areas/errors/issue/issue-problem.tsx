import { ButtonLink } from '../../../design/button.tsx'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox } from '../../../design/content/states.tsx'
import { asProblem } from '../../../http/problem.ts'

interface IssueProblemProps {
  readonly projectId: string
  readonly problem: Error
  readonly onRetry: () => void
}

/** Why there is no issue at this address, and where to go on. */
export function IssueProblem({ projectId, problem, onRetry }: IssueProblemProps) {
  const known = asProblem(problem)
  if (known?.status === 404 || known?.status === 400) {
    return (
      <Page title="No such issue">
        <EmptyState icon="bug" title="There is no issue at this address">
          <p>It was deleted, or the address is wrong. Its events went with it.</p>
          <ButtonLink href={`/projects/${projectId}/issues`}>Show the issues</ButtonLink>
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page title="Issue">
      <ProblemBox problem={problem} onRetry={onRetry} />
    </Page>
  )
}
