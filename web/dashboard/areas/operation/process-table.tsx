import { Badge, type Tone } from '../../design/content/badge.tsx'
import { DataTable } from '../../design/content/data-table.tsx'
import { formatBytes, formatDuration, formatNumber } from '../../design/content/format.ts'
import { Time } from '../../design/content/time.tsx'
import type { Reply } from '../../http/request.ts'

type Process = Reply<'GET /api/v1/operation'>['processes'][number]

const tones: Readonly<Record<Process['state'], Tone>> = {
  ready: 'success',
  'not ready': 'warning',
  'does not answer': 'danger',
  unknown: 'neutral',
}

/** Every process of the installation: state, version, age and load. */
export function ProcessTable({ processes }: { readonly processes: readonly Process[] }) {
  return (
    <DataTable
      label="Processes"
      items={processes}
      keyOf={({ name, address }) => `${name} ${address}`}
      columns={[
        {
          head: 'Process',
          cell: ({ name, address }) => (
            <>
              <div>{name}</div>
              <div class="soft small mono">{address}</div>
            </>
          ),
        },
        {
          head: 'State',
          cell: ({ state, reasons }) => (
            <span>
              <Badge tone={tones[state]}>{state}</Badge>{' '}
              {reasons.length > 0 && <span class="soft small">{reasons.join(', ')}</span>}
            </span>
          ),
        },
        { head: 'Version', secondary: true, cell: ({ version }) => version ?? '–' },
        {
          head: 'Started',
          secondary: true,
          cell: ({ since }) => (since === null ? '–' : <Time at={since} />),
        },
        {
          head: 'CPU',
          numeric: true,
          cell: ({ cpu_cores: cores }) => (cores === null ? '–' : `${cores.toFixed(2)} cores`),
        },
        {
          head: 'Memory',
          numeric: true,
          secondary: true,
          cell: ({ memory_bytes: bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
        },
        {
          head: 'Event loop',
          numeric: true,
          secondary: true,
          cell: ({ event_loop_lag_seconds: lag }) =>
            lag === null ? '–' : formatDuration(lag * 1_000),
        },
        {
          head: 'Rate',
          numeric: true,
          cell: ({ rate }) =>
            rate === null ? '–' : `${formatNumber(Math.round(rate.per_second))} ${rate.unit}/s`,
        },
      ]}
    />
  )
}
