/** `partitions`: the number of partitions and streams of the bus. */
import { describeLayout, type IngestLayout } from '#schemas/bus/layout.ts'
import { setPartitions } from '../../../partitions/set-partitions.ts'
import { settleInstance } from '../../../partitions/settle-instance.ts'
import { showPartitions } from '../../../partitions/show-partitions.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { readOrUsageError } from '../../read-or-usage-error.ts'
import { UsageError } from '../../usage-error.ts'

export const partitionVerbs: readonly VerbPlan[] = [
  {
    verb: 'show',
    summary: 'Show the partitions, and what a change of their number waits for',
    run: show,
  },
  {
    verb: 'set',
    summary: 'Change the number of partitions while the product runs',
    flags: {
      '--count <n>': 'number of partitions, 1 to 64!',
      '--streams <n>': 'number of streams that share them; default: as now',
    },
    run: set,
  },
  {
    verb: 'settle',
    summary: 'Stop waiting for an ingest process that is lost with its write-ahead log',
    flags: { '--instance <id>': 'id of the process, from `partitions show`!' },
    run: ({ session, flags }) =>
      settleInstance(session.pg, { instanceId: flags.instance ?? '' }).then(({ instanceId }) => ({
        instance_id: instanceId,
        state: 'settled',
      })),
  },
]

async function show({ session, flags }: Run) {
  const { current, next, waitsFor } = await showPartitions(session.pg)
  if (flags.json !== true) {
    return {
      current: current === undefined ? 'none yet' : describeLayout(current),
      next: next === undefined ? 'no change in progress' : describeLayout(next),
      waits_for: waitsFor.map(({ instanceId }) => `ingest ${instanceId}`).join(', ') || '-',
    }
  }
  return {
    current: rowOf(current),
    next: rowOf(next),
    waits_for: waitsFor.map(({ instanceId, seenAt }) => ({
      instance_id: instanceId,
      seen_at: seenAt.toISOString(),
    })),
  }
}

async function set({ env, session, flags, say }: Run) {
  const { pg, clickhouse, installation, connectNats } = session
  const { current } = await showPartitions(pg)
  const { INGEST_STREAM_BYTES_MAX: bytesMax, INGEST_STREAM_REPLICAS: replicas } = readOrUsageError(
    env,
    ['INGEST_STREAM_BYTES_MAX', 'INGEST_STREAM_REPLICAS'],
  )
  const nats = await connectNats()
  try {
    const next = await setPartitions(
      { pg, clickhouse, nats, installation },
      {
        count: numberOf('count', flags.count),
        streams:
          flags.streams === undefined
            ? (current?.streams ?? 1)
            : numberOf('streams', flags.streams),
        bytesMax,
        replicas,
      },
    )
    say(
      'Restart every ingest process now, one after the other (`npm run restart` with `npm start`). Workers change over by themselves when nothing is left in the former partitions; see `partitions show`.\n',
    )
    return { current: rowOf(current), next: rowOf(next) }
  } finally {
    await nats.close()
  }
}

function rowOf(layout: IngestLayout | undefined) {
  if (layout === undefined) return null
  const { first, partitions, streams } = layout
  return { first_partition: first, partitions, streams }
}

function numberOf(flag: string, text: string | undefined): number {
  if (text === undefined || !/^\d{1,3}$/.test(text)) {
    throw new UsageError(`--${flag}: must be a whole number.`)
  }
  return Number(text)
}
