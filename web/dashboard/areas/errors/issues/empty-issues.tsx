import { Button, ButtonLink } from '../../../design/button.tsx'
import { CopyValue } from '../../../design/content/copy.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useOverview } from '../../../shell/use-overview.ts'
import { projectPath } from '../../../url/use-project.ts'
import { defaultQuery, type IssuesState } from './issues-state.ts'
import { type Period, wordsOf } from './period.ts'

interface EmptyIssuesProps {
  readonly projectId: string
  readonly query: string
  readonly period: Period
  readonly onState: (change: Partial<IssuesState>) => void
}

/** No row: the project has no events yet, everything is resolved, or nothing matches. */
export function EmptyIssues({ projectId, query, period, onState }: EmptyIssuesProps) {
  const params = { project_id: projectId }
  const overview = useOverview(projectId)
  const hasEvents = overview.data?.has_events
  const keys = useRead(
    'GET /api/v1/projects/{project_id}/keys',
    { params },
    { enabled: hasEvents === false },
  )
  if (overview.problem !== undefined && overview.data === undefined) {
    return <ProblemBox problem={overview.problem} onRetry={overview.refetch} />
  }
  if (hasEvents === undefined) return <Skeleton lines={3} />
  if (!hasEvents) {
    const key = keys.data?.items.find(({ status }) => status === 'active')
    return (
      <EmptyState icon="bug" title="No events yet">
        <p>Give this DSN to an SDK of Sentry. The first error is here a second later.</p>
        {key !== undefined && <CopyValue label="the DSN" value={key.dsn} />}
        <ButtonLink kind="primary" href={projectPath(projectId, 'setup')}>
          Set up an SDK
        </ButtonLink>
      </EmptyState>
    )
  }
  const allTime = period !== 'all' && (
    <Button onClick={() => onState({ period: 'all' })}>Show all time</Button>
  )
  if (query === defaultQuery) {
    return (
      <EmptyState icon="check" title={`No unresolved issues ${wordsOf(period)}`.trim()}>
        <p>New errors appear here while you watch.</p>
        {allTime}
        <Button onClick={() => onState({ query: '' })}>Show all issues</Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="search" title="Nothing matches">
      <p>
        {query === '' ? (
          `No issue was seen ${wordsOf(period)}.`
        ) : (
          <>
            No issue {wordsOf(period) === '' ? '' : `seen ${wordsOf(period)} `}matches{' '}
            <code>{query}</code>.
          </>
        )}
      </p>
      {allTime}
      <Button onClick={() => onState({ query: defaultQuery })}>Clear the filters</Button>
    </EmptyState>
  )
}
