import { Badge, Meter } from '../../design/content/badge.tsx'
import { DataTable, Facts } from '../../design/content/data-table.tsx'
import { formatBytes, formatDuration, formatNumber } from '../../design/content/format.ts'
import { Panel } from '../../design/content/page.tsx'
import type { Reply } from '../../http/request.ts'

type Snapshot = Reply<'GET /api/v1/operation'>

/** The way of an event: ingest and its log, the streams, the partitions, and what is dropped. */
export function PipelinePanels({ snapshot }: { readonly snapshot: Snapshot }) {
  const { ingest, partitions, drops } = snapshot
  return (
    <>
      <div class="columns-even">
        {ingest !== null && <IngestPanel ingest={ingest} />}
        <StreamPanel streams={snapshot.streams} mail={snapshot.mail} />
      </div>
      <Panel title="Partitions" flush>
        <DataTable
          label="Partitions"
          items={partitions}
          keyOf={({ partition }) => partition}
          columns={[
            { head: 'Partition', cell: ({ partition }) => partition },
            {
              head: 'Owner',
              cell: ({ owner }) => owner ?? <Badge tone="danger">nobody</Badge>,
            },
            {
              head: 'Lag',
              numeric: true,
              cell: ({ lag_events: events, lag_seconds: seconds }) =>
                `${formatNumber(events ?? 0)} events, ${formatDuration((seconds ?? 0) * 1_000)}`,
            },
            {
              head: 'Last commit',
              numeric: true,
              secondary: true,
              cell: ({ since_commit_seconds: seconds }) =>
                seconds === null ? '–' : `${formatDuration(seconds * 1_000)} ago`,
            },
            {
              head: 'State',
              cell: (partition) => <PartitionState partition={partition} />,
            },
          ]}
        />
      </Panel>
      {drops.length > 0 && (
        <Panel title="Dropped now" flush>
          <DataTable
            label="Dropped now"
            items={drops}
            keyOf={({ outcome, reason }) => `${outcome} ${reason}`}
            columns={[
              { head: 'Outcome', cell: ({ outcome }) => outcome },
              { head: 'Reason', cell: ({ reason }) => reason },
              {
                head: 'Per minute',
                numeric: true,
                cell: ({ per_minute: rate }) => formatNumber(Math.round(rate)),
              },
            ]}
          />
        </Panel>
      )}
    </>
  )
}

function PartitionState({ partition }: { readonly partition: Snapshot['partitions'][number] }) {
  const { stuck_seconds: stuck, store_fault: isFault, postgres_older: isOlder } = partition
  if (isFault) return <Badge tone="danger">a store refuses its records</Badge>
  if (isOlder) return <Badge tone="danger">Postgres is older than the stream</Badge>
  if (stuck !== null && stuck > 0) {
    return <Badge tone="warning">stuck for {formatDuration(stuck * 1_000)}</Badge>
  }
  return <Badge tone="success">running</Badge>
}

function IngestPanel({ ingest }: { readonly ingest: NonNullable<Snapshot['ingest']> }) {
  const { requests_per_second: rates } = ingest
  return (
    <Panel title="Ingest">
      <Facts
        facts={[
          ...Object.entries(rates ?? {}).map(([status, rate]) => ({
            name: `Replies ${status}`,
            value: `${formatNumber(Math.round(rate))} /s`,
          })),
          { name: 'Requests pending', value: formatNumber(ingest.requests_pending ?? 0) },
          {
            name: 'Write-ahead log',
            value: (
              <BytesOf
                label="Write-ahead log"
                used={ingest.log_bytes}
                limit={ingest.log_limit_bytes}
              />
            ),
          },
          {
            name: 'Oldest frame',
            value: formatDuration((ingest.oldest_frame_seconds ?? 0) * 1_000),
          },
        ]}
      />
    </Panel>
  )
}

/** `1.2 GiB of 8 GiB`, with the share as a bar below. */
function BytesOf({
  label,
  used,
  limit,
}: {
  readonly label: string
  readonly used: number | null
  readonly limit: number | null
}) {
  return (
    <div class="operation-level">
      {formatBytes(used ?? 0)} of {formatBytes(limit ?? 0)}
      <Meter label={label} value={used ?? 0} max={limit ?? 0} />
    </div>
  )
}

function StreamPanel({ streams, mail }: Pick<Snapshot, 'streams' | 'mail'>) {
  return (
    <Panel title="Streams and email">
      <div class="stack">
        <Facts
          facts={streams.map(({ name, used_bytes: used, limit_bytes: limit }) => ({
            name,
            value: <BytesOf label={`Stream ${name}`} used={used} limit={limit} />,
          }))}
        />
        {mail !== null && (
          <Facts
            facts={mail.lanes.map(({ lane, waiting, oldest_seconds: oldest }) => ({
              name: `Email: ${lane}`,
              value:
                waiting === 0
                  ? 'none waiting'
                  : `${formatNumber(waiting ?? 0)} waiting, oldest ${formatDuration((oldest ?? 0) * 1_000)}`,
            }))}
          />
        )}
        {mail?.smtp_away === true && <Badge tone="danger">The SMTP server does not answer</Badge>}
      </div>
    </Panel>
  )
}
