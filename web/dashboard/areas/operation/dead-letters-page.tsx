import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge } from '../../design/content/badge.tsx'
import { CodeBlock } from '../../design/content/copy.tsx'
import { DataTable, Facts } from '../../design/content/data-table.tsx'
import { countOf, formatBytes } from '../../design/content/format.ts'
import { Panel } from '../../design/content/page.tsx'
import { EmptyState, Loaded, ProblemBox, Skeleton } from '../../design/content/states.tsx'
import { Time } from '../../design/content/time.tsx'
import { ConfirmDialog, Dialog } from '../../design/overlays/dialog.tsx'
import { request } from '../../http/request.ts'
import { runChange } from '../../http/run-change.ts'
import { type Item, usePages } from '../../http/use-pages.ts'
import { useRead } from '../../http/use-read.ts'
import { useSearchParams } from '../../url/use-search-params.ts'
import { OperationPage } from './operation-page.tsx'

const list = 'GET /api/v1/operation/dead-letters'
type DeadLetter = Item<typeof list>
type Selection = { readonly ids: number[] } | { readonly all: true }

/** Records that the workers could not digest: why, what they hold, retry and delete. */
export function DeadLettersPage() {
  const params = useSearchParams()
  const pages = usePages(list, { query: { limit: 50 } })
  const [isDeleting, setDeleting] = useState(false)
  const open = params.get('id')
  return (
    <OperationPage title="Dead letters">
      {pages.problem !== undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton />}
      {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
        <EmptyState icon="check" title="No dead letters">
          <p>Every accepted record was digested.</p>
        </EmptyState>
      )}
      {pages.items.length > 0 && (
        <Panel
          title={`${countOf(pages.items.length, 'record')}${pages.hasMore ? ' and more' : ''}`}
          flush
          actions={
            <>
              <Button size="s" icon="refresh" onClick={() => void retry({ all: true })}>
                Retry all
              </Button>
              <Button size="s" icon="trash" onClick={() => setDeleting(true)}>
                Delete all…
              </Button>
            </>
          }
        >
          <DataTable
            label="Dead letters"
            items={pages.items}
            keyOf={({ id }) => String(id)}
            columns={[
              {
                head: 'Error',
                cell: ({ error, reason }) => (
                  <>
                    <div>{error}</div>
                    <div class="soft small">{reason.replaceAll('_', ' ')}</div>
                  </>
                ),
              },
              { head: 'Project', secondary: true, cell: ({ project }) => project?.name ?? '–' },
              {
                head: 'Size',
                numeric: true,
                secondary: true,
                cell: ({ size_bytes: bytes }) => formatBytes(bytes),
              },
              { head: 'At', cell: ({ at }) => <Time at={at} /> },
              {
                head: 'Actions',
                actions: true,
                cell: (record) => (
                  <Actions record={record} onOpen={() => params.set({ id: String(record.id) })} />
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
      {open !== undefined && (
        <RecordDialog id={open} onClose={() => params.set({ id: undefined })} />
      )}
      {isDeleting && (
        <ConfirmDialog
          title="Delete all dead letters"
          confirm="Delete them all"
          danger
          typed="delete"
          onConfirm={() => remove({ all: true })}
          onClose={() => setDeleting(false)}
        >
          <p>Their events are lost for good. Retry them first if the cause is mended.</p>
        </ConfirmDialog>
      )}
    </OperationPage>
  )
}

function retry(selection: Selection) {
  return runChange({
    send: () => request('POST /api/v1/operation/dead-letters/retry', { body: selection }),
    done: ({ requested }) => `Retrying ${countOf(requested, 'record')}.`,
    refetch: [list],
  })
}

function remove(selection: Selection) {
  return runChange({
    send: () => request('POST /api/v1/operation/dead-letters/delete', { body: selection }),
    done: ({ deleted }) => `Deleted ${countOf(deleted, 'record')}.`,
    refetch: [list],
  })
}

function Actions({ record, onOpen }: { readonly record: DeadLetter; readonly onOpen: () => void }) {
  if (record.state === 'retrying') return <Badge tone="info">retrying</Badge>
  return (
    <span class="row">
      <Button size="s" onClick={onOpen}>
        Show
      </Button>
      {record.retryable && (
        <Button size="s" icon="refresh" onClick={() => void retry({ ids: [record.id] })}>
          Retry
        </Button>
      )}
    </span>
  )
}

function RecordDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const read = useRead('GET /api/v1/operation/dead-letters/{dead_letter_id}', {
    params: { dead_letter_id: id },
  })
  return (
    <Dialog title="Dead letter" size="side" onClose={onClose}>
      <Loaded read={read}>
        {(record) => (
          <div class="stack">
            <Facts
              facts={[
                { name: 'Error', value: record.error },
                { name: 'Kind', value: record.kind ?? '–' },
                { name: 'Subject', value: record.subject },
                { name: 'Sequence', value: String(record.sequence) },
                { name: 'Size', value: formatBytes(record.size_bytes) },
                { name: 'Project', value: record.project?.name ?? '–' },
              ]}
            />
            <CodeBlock
              label={`Payload as ${record.payload.encoding}${record.payload.truncated ? ', its beginning' : ''}`}
              code={record.payload.excerpt}
            />
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}
