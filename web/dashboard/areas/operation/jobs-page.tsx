import { Button } from '../../design/button.tsx'
import { Badge } from '../../design/content/badge.tsx'
import { DataTable } from '../../design/content/data-table.tsx'
import { countOf } from '../../design/content/format.ts'
import { Panel } from '../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../design/content/states.tsx'
import { Time } from '../../design/content/time.tsx'
import { request } from '../../http/request.ts'
import { runChange } from '../../http/run-change.ts'
import { usePages } from '../../http/use-pages.ts'
import { OperationPage } from './operation-page.tsx'

const list = 'GET /api/v1/operation/jobs'

/** Background jobs that failed, with their last error. */
export function JobsPage() {
  const pages = usePages(list, { query: { limit: 50 } })
  const retry = (body: { readonly ids: string[] } | { readonly all: true }) =>
    runChange({
      send: () => request('POST /api/v1/operation/jobs/retry', { body }),
      done: ({ requested }) => `Retrying ${countOf(requested, 'job')}.`,
      refetch: [list],
    })
  return (
    <OperationPage title="Failed jobs">
      {pages.problem !== undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton />}
      {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
        <EmptyState icon="check" title="No failed jobs">
          <p>A job is listed here when all its attempts have failed.</p>
        </EmptyState>
      )}
      {pages.items.length > 0 && (
        <Panel
          title={countOf(pages.items.length, 'job')}
          flush
          actions={
            <Button size="s" icon="refresh" onClick={() => void retry({ all: true })}>
              Retry all
            </Button>
          }
        >
          <DataTable
            label="Failed jobs"
            items={pages.items}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Task', cell: ({ task }) => task },
              {
                head: 'State',
                cell: ({ state, attempts, max_attempts: max }) => (
                  <span>
                    <Badge tone={state === 'failed' ? 'danger' : 'warning'}>{state}</Badge>{' '}
                    <span class="soft small">
                      {attempts} of {max} attempts
                    </span>
                  </span>
                ),
              },
              { head: 'Error', cell: ({ error }) => error ?? '–' },
              {
                head: 'Next attempt',
                secondary: true,
                cell: ({ next_attempt_at: at }) => (at === null ? '–' : <Time at={at} />),
              },
              {
                head: 'Actions',
                actions: true,
                cell: ({ id }) => (
                  <Button size="s" icon="refresh" onClick={() => void retry({ ids: [id] })}>
                    Retry
                  </Button>
                ),
              },
            ]}
          />
        </Panel>
      )}
      {pages.hasMore && (
        <Button busy={pages.isLoadingMore} onClick={pages.loadMore}>
          Show more
        </Button>
      )}
    </OperationPage>
  )
}
