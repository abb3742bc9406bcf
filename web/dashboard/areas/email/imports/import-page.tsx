import { useRoute } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { downloadText } from '../../../design/content/download-text.ts'
import { countOf, formatNumber, formatShare } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { Icon } from '../../../design/icon.tsx'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { canWrite } from '../../../session/session.ts'
import { notesOf } from './import-notes.ts'
import { ImportState, importList, importOne, isUnderWay } from './import-words.tsx'
import { type RefusedRow, refusedRowsAsCsv } from './refused-rows.ts'
import '../lists/email-list.css'
import './imports.css'
import { NewsletterName } from '../lists/newsletter-name.tsx'

type ImportDetail = Reply<typeof importOne>

const refreshMs = 1_000
const changed = [
  importOne,
  importList,
  'GET /api/v1/admin/email/contacts',
  'GET /api/v1/admin/email/contacts/numbers',
] as const

/** The progress and the report of one import; a dry run is started here. */
export function ImportPage() {
  const { import_id: id = '' } = useRoute().params
  const input = { params: { import_id: id } }
  const first = useRead(importOne, input, { topics: ['imports'] })
  const isRunning = first.data !== undefined && isUnderWay(first.data)
  const read = useRead(importOne, input, {
    topics: ['imports'],
    refetchEveryMs: isRunning ? refreshMs : undefined,
  })
  const item = read.data
  return (
    <Page
      title={item?.dryRun === true ? 'Check of a file' : 'Import'}
      parent={{ label: 'Contact imports', href: '/email/contacts/import' }}
      meta={item !== undefined && <ImportState item={item} />}
      actions={item !== undefined && canWrite.value && <Actions item={item} />}
    >
      <Loaded read={read}>{(data) => <Report item={data} />}</Loaded>
    </Page>
  )
}

function Actions({ item }: { readonly item: ImportDetail }) {
  const params = { import_id: item.id }
  if (isUnderWay(item)) {
    return (
      <Button
        icon="stop"
        onClick={() =>
          void runChange({
            send: () => request('POST /api/v1/admin/email/imports/{import_id}/cancel', { params }),
            done: item.dryRun ? 'Cancelled the check.' : 'Cancelled. Rows that were imported stay.',
            refetch: changed,
          })
        }
      >
        Cancel
      </Button>
    )
  }
  if (item.state !== 'done') return null
  if (!item.dryRun) {
    return (
      <ButtonLink href={`/email/contacts?newsletter=${encodeURIComponent(item.newsletter)}`}>
        Open the contacts
      </ButtonLink>
    )
  }
  const count = item.created + item.updated
  return (
    <Button
      kind="primary"
      icon="play"
      onClick={() =>
        void runChange({
          send: () => request('POST /api/v1/admin/email/imports/{import_id}/start', { params }),
          refetch: changed,
        })
      }
    >
      {`Import ${countOf(count, 'contact')}`}
    </Button>
  )
}

function Report({ item }: { readonly item: ImportDetail }) {
  const isChecked = item.dryRun && item.state === 'done'
  const notes = notesOf(item.id)
  return (
    <div class="stack">
      {isUnderWay(item) && <Progress item={item} />}
      {item.reason !== null && (
        <div class="problem" role="alert">
          <Icon name="alert" />
          <div class="problem-body">{item.reason}</div>
        </div>
      )}
      <Panel title={isChecked ? 'What the import would do' : 'Result'}>
        <div class="stack">
          <Numbers item={item} />
          {notes.map((note) => (
            <p class="soft" key={note}>
              {note}
            </p>
          ))}
          <Facts
            facts={[
              ...(item.fileName === null ? [] : [{ name: 'File', value: item.fileName }]),
              { name: 'Newsletter', value: <NewsletterName slug={item.newsletter} /> },
              { name: 'Format', value: `${item.format}, ${item.encoding}` },
              {
                name: 'Columns not imported',
                value: item.ignoredColumns.length === 0 ? 'none' : item.ignoredColumns.join(', '),
              },
              {
                name: 'Started',
                value: (
                  <>
                    <Time at={item.createdAt} /> by {item.createdBy}
                  </>
                ),
              },
              ...(item.finishedAt === null
                ? []
                : [{ name: 'Finished', value: <Time at={item.finishedAt} /> }]),
            ]}
          />
        </div>
      </Panel>
      <Rows
        title="Refused and skipped rows"
        total={item.refused + item.skipped}
        rows={item.problems}
        fileName="refused-rows.csv"
      />
      <Rows
        title="Left out of rows"
        total={item.warned}
        rows={item.warnings}
        fileName="left-out.csv"
      />
    </div>
  )
}

function Progress({ item }: { readonly item: ImportDetail }) {
  return (
    <div class="import-progress" role="status">
      <progress max={1} value={item.progress} aria-label="Progress of the import" />
      <span class="number">
        {formatShare(item.progress, 0)} · {countOf(item.rows, 'row')}
      </span>
    </div>
  )
}

function Numbers({ item }: { readonly item: ImportDetail }) {
  const numbers = [
    ['Rows', item.rows],
    ['New', item.created],
    ['Updated', item.updated],
    ['Unchanged', item.unchanged],
    ['Skipped', item.skipped],
    ['Refused', item.refused],
    ['Suppressed', item.suppressed],
  ] as const
  return (
    <dl class="email-numbers">
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatNumber(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Rows({
  title,
  total,
  rows,
  fileName,
}: {
  readonly title: string
  readonly total: number
  readonly rows: readonly RefusedRow[]
  readonly fileName: string
}) {
  if (rows.length === 0) return null
  return (
    <Panel
      title={
        rows.length < total
          ? `${title}: the first ${formatNumber(rows.length)} of ${formatNumber(total)}`
          : `${title}: ${formatNumber(rows.length)}`
      }
      actions={
        <Button
          size="s"
          icon="download"
          onClick={() => downloadText(fileName, refusedRowsAsCsv(rows), 'text/csv')}
        >
          Download
        </Button>
      }
      flush
    >
      <WindowedList
        label={title}
        items={rows.map((row, index) => ({ ...row, key: String(index) }))}
        keyOf={({ key }) => key}
        rowHeight={36}
        renderRow={({ line, field, rule }) => (
          <div class="import-refused">
            <span class="soft number">Line {formatNumber(line)}</span>
            <span class="email-row-break">
              {field} {rule}
            </span>
          </div>
        )}
      />
    </Panel>
  )
}
