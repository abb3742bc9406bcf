import type { ComponentChildren } from 'preact'
import { Meter } from '../../design/content/badge.tsx'
import { DataTable, Facts } from '../../design/content/data-table.tsx'
import {
  formatBytes,
  formatCompact,
  formatDuration,
  formatNumber,
  formatShare,
} from '../../design/content/format.ts'
import { Panel } from '../../design/content/page.tsx'
import type { Reply } from '../../http/request.ts'

type Snapshot = Reply<'GET /api/v1/operation'>

/** Postgres, ClickHouse, jobs, dead letters and disks. */
export function StorePanels({ snapshot }: { readonly snapshot: Snapshot }) {
  return (
    <>
      <div class="columns-even">
        <PostgresPanel postgres={snapshot.postgres} />
        <ClickHousePanel clickhouse={snapshot.clickhouse} />
        <QueuePanel jobs={snapshot.jobs} deadLetters={snapshot.dead_letters} />
      </div>
      <Panel title="Disks" flush>
        <DataTable
          label="Disks"
          items={snapshot.disks}
          keyOf={({ process, folder }) => `${process} ${folder}`}
          columns={[
            { head: 'Process', cell: ({ process }) => process },
            { head: 'Folder', cell: ({ folder }) => folder },
            {
              head: 'Free',
              numeric: true,
              cell: ({ free_bytes: free, size_bytes: size }) =>
                `${formatBytes(free ?? 0)} of ${formatBytes(size ?? 0)}`,
            },
            {
              head: 'Full in',
              numeric: true,
              secondary: true,
              cell: ({ full_seconds: seconds }) =>
                seconds === null ? 'not at this rate' : formatDuration(seconds * 1_000),
            },
          ]}
        />
      </Panel>
    </>
  )
}

function PostgresPanel({ postgres }: Pick<Snapshot, 'postgres'>) {
  if (postgres.state !== 'answers') return <Away title="Postgres">{postgres.reason}</Away>
  const { connections, oldest_transaction: oldest } = postgres
  return (
    <Panel title={`Postgres ${postgres.version}`}>
      <Facts
        facts={[
          { name: 'Size', value: formatBytes(postgres.size_bytes) },
          {
            name: 'Connections',
            value: (
              <div class="operation-level">
                {formatNumber(connections.used)} of {formatNumber(connections.limit)}
                <Meter label="Connections" value={connections.used} max={connections.limit} />
              </div>
            ),
          },
          {
            name: 'Oldest transaction',
            value:
              oldest === null
                ? 'none'
                : `${formatDuration(oldest.seconds * 1_000)}, ${oldest.application}`,
          },
          { name: 'Waiting for locks', value: formatNumber(postgres.waiting_for_locks) },
          {
            name: 'Read from cache',
            value: postgres.cache_hit_ratio === null ? '–' : formatShare(postgres.cache_hit_ratio),
          },
        ]}
      />
    </Panel>
  )
}

function ClickHousePanel({ clickhouse }: Pick<Snapshot, 'clickhouse'>) {
  if (clickhouse.state !== 'answers') return <Away title="ClickHouse">{clickhouse.reason}</Away>
  return (
    <Panel title={`ClickHouse ${clickhouse.version}`}>
      <Facts
        facts={[
          { name: 'Rows', value: formatCompact(clickhouse.rows) },
          { name: 'Size', value: formatBytes(clickhouse.bytes) },
          { name: 'Parts', value: formatNumber(clickhouse.parts) },
          { name: 'Merges now', value: formatNumber(clickhouse.merges) },
          ...clickhouse.tables.slice(0, 5).map(({ name, rows, bytes }) => ({
            name,
            value: `${formatCompact(rows)} rows, ${formatBytes(bytes)}`,
          })),
        ]}
      />
    </Panel>
  )
}

function QueuePanel({
  jobs,
  deadLetters,
}: {
  readonly jobs: Snapshot['jobs']
  readonly deadLetters: Snapshot['dead_letters']
}) {
  return (
    <Panel title="Jobs and dead letters">
      <div class="stack">
        {jobs.state !== 'answers' ? (
          <p class="soft">{jobs.reason}</p>
        ) : jobs.tasks.length === 0 ? (
          <p class="soft">No job waits.</p>
        ) : (
          <Facts
            facts={jobs.tasks.map(({ task, waiting, running, failed }) => ({
              name: task,
              value: `${formatNumber(waiting)} waiting, ${formatNumber(running)} running, ${formatNumber(failed)} failed`,
            }))}
          />
        )}
        {deadLetters.state !== 'answers' ? (
          <p class="soft">{deadLetters.reason}</p>
        ) : deadLetters.reasons.length === 0 ? (
          <p class="soft">No dead letters.</p>
        ) : (
          <Facts
            facts={deadLetters.reasons.map(({ reason, count }) => ({
              name: reason.replaceAll('_', ' '),
              value: <a href="/operation/dead-letters">{formatNumber(count)}</a>,
            }))}
          />
        )}
      </div>
    </Panel>
  )
}

function Away({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <Panel title={title}>
      <p>Does not answer: {children}</p>
    </Panel>
  )
}
