/** The streams of Sluice: whether all exist, with the settings that no event is lost with. */
import type { StreamInfo } from '@nats-io/jetstream'
import { layoutOf, streamNames } from '#platform/nats/ingest-streams.ts'
import { duplicateWindowNs } from '#platform/nats/stream-calls.ts'
import { firstPartitionOf, partitionsOfStream } from '#platform/nats/stream-of-partition.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { bytesText, percentText } from '../../operation/text/format-numbers.ts'
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const streams = of('streams')

export const streamsCheck: Check = {
  group: 'streams',
  run: async (ctx) => {
    const found = await ctx.nats()
    if (found.state !== 'answers' || found.store.jetStream === undefined) {
      return [streams.skipped('all', 'Needs NATS with JetStream.')]
    }
    const { streams: infos, storageBytesMax } = found.store.jetStream
    const [first] = infos
    if (first === undefined) {
      return [
        streams.warning(
          'all',
          'There are no streams yet.',
          'Start ingest or the workers, which create them.',
        ),
      ]
    }
    const layouts: IngestLayout[] = []
    const faults = reserved(infos, storageBytesMax)
    // Two layouts exist while the number of partitions is being changed.
    for (const group of layoutGroups(infos)) {
      const layout = readLayout(group[0] ?? first)
      if (layout === undefined) {
        faults.push(unreadable(group[0] ?? first))
        continue
      }
      layouts.push(layout)
      faults.push(
        ...missingStreams(layout, group),
        ...group.flatMap((info, index) => streamFaults(info, { index, layout })),
      )
    }
    const [layout] = layouts
    if (layout === undefined) return faults
    // The environment decides only about the first layout.
    if (layouts.length === 1 && layout.first === 0) faults.push(...unlike(ctx, layout, infos))
    const text = `${layout.partitions} partitions in ${layout.streams} ${layout.streams === 1 ? 'stream' : 'streams'}, ${percentText(fullest(infos))} full.`
    return faults.length > 0 ? faults : [streams.ok('all', text)]
  },
}

/** The streams by the layout to which they belong, each in the order of their indexes. */
function layoutGroups(infos: readonly StreamInfo[]): StreamInfo[][] {
  const groups = new Map<number, StreamInfo[]>()
  for (const info of infos) {
    const first = firstPartitionOf(info.config.name) ?? 0
    groups.set(first, [...(groups.get(first) ?? []), info])
  }
  return [...groups.values()]
}

function unreadable({ config }: StreamInfo): Finding {
  return streams.problem(
    'layout',
    `The description of stream ${config.name} does not state its partitions.`,
    'Restore the description, or stop all processes, delete the streams and start again.',
  )
}

function readLayout(info: StreamInfo): IngestLayout | undefined {
  try {
    return layoutOf(info)
  } catch {
    return undefined
  }
}

function missingStreams(layout: IngestLayout, infos: readonly StreamInfo[]): Finding[] {
  const there = new Set(infos.map(({ config }) => config.name))
  const lacking = streamNames(layout).filter((name) => !there.has(name))
  if (lacking.length === 0) return []
  return [
    streams.problem(
      'missing',
      `${lacking.join(', ')} does not exist, so its partitions accept nothing.`,
      'Restart a worker, which creates it; ingest then sends its frames again.',
    ),
  ]
}

interface Place {
  readonly index: number
  readonly layout: IngestLayout
}

export function streamFaults(info: StreamInfo, { index, layout }: Place): Finding[] {
  const { config, state } = info
  const wrong = (what: string, found: unknown, needed: unknown, why: string) =>
    streams.problem(
      `${config.name}_${what}`,
      `Stream ${config.name} has ${what} ${found}, and needs ${needed}: ${why}.`,
      edit(config.name, what, needed),
    )
  const faults: Finding[] = []
  if (config.storage !== 'file') {
    faults.push(wrong('storage', config.storage, 'file', 'a restart of NATS loses all frames'))
  }
  if (config.retention !== 'limits') {
    faults.push(wrong('retention', config.retention, 'limits', 'frames vanish before the commit'))
  }
  if (config.discard !== 'new') {
    faults.push(wrong('discard', config.discard, 'new', 'a full stream drops old frames'))
  }
  if (config.max_age > 0) {
    faults.push(wrong('max_age', `${config.max_age / 1e9} s`, '0', 'frames vanish by age'))
  }
  if (config.max_msgs > 0) {
    faults.push(wrong('max_msgs', config.max_msgs, '-1', 'a full stream refuses frames early'))
  }
  if (config.max_msgs_per_subject > 0) {
    const found = config.max_msgs_per_subject
    faults.push(wrong('max_msgs_per_subject', found, '-1', 'frames of a partition vanish'))
  }
  if (config.max_msg_size > 0 && config.max_msg_size < busMessageBytesMax) {
    const found = config.max_msg_size
    faults.push(wrong('max_msg_size', found, busMessageBytesMax, 'large frames are refused'))
  }
  if (config.duplicate_window < duplicateWindowNs) {
    const found = `${config.duplicate_window / 1e9} s`
    const needed = `${duplicateWindowNs / 1e9} s`
    faults.push(wrong('duplicate_window', found, needed, 'resent frames are stored twice'))
  }
  const subjects = partitionsOfStream(index, layout).map(ingestSubject)
  const lacking = subjects.filter((subject) => !config.subjects.includes(subject))
  if (lacking.length > 0 && layout.streams > index) {
    faults.push(wrong('subjects', config.subjects, lacking, 'these partitions accept nothing'))
  }
  return [...faults, ...limits(config.name, config.max_bytes, state.bytes)]
}

function edit(name: string, what: string, needed: unknown): string {
  if (what === 'storage' || what === 'retention') {
    return `It cannot be changed: stop ingest, let the workers finish, delete stream ${name}, start again.`
  }
  return `Set ${what} of stream ${name} to ${needed} (nats stream edit ${name}).`
}

function limits(name: string, bytesMax: number, bytes: number): Finding[] {
  if (bytesMax <= 0) {
    return [
      streams.warning(
        `${name}_max_bytes`,
        `Stream ${name} has no limit, so it can fill the disk of NATS.`,
        `Set max_bytes of stream ${name} below the space of its disk (nats stream edit ${name}).`,
      ),
    ]
  }
  const ratio = bytes / bytesMax
  if (ratio < faultLimits.streamFullRatio) return []
  return [
    streams.problem(
      `${name}_full`,
      `Stream ${name} is ${percentText(ratio)} full (${bytesText(bytes)} of ${bytesText(bytesMax)}).`,
      'Add workers, or find out why they do not commit (npm run top).',
    ),
  ]
}

function fullest(infos: readonly StreamInfo[]): number {
  const ratios = infos.map(({ config, state }) =>
    config.max_bytes > 0 ? state.bytes / config.max_bytes : 0,
  )
  return Math.max(0, ...ratios)
}

/** All streams may fill at once. */
function reserved(infos: readonly StreamInfo[], storageBytesMax: number): Finding[] {
  const needed = infos.reduce(
    (sum, { config }) => sum + Math.max(0, config.max_bytes) * config.num_replicas,
    0,
  )
  if (storageBytesMax <= 0 || needed <= storageBytesMax) return []
  return [
    streams.problem(
      'reserved',
      `The streams may grow to ${bytesText(needed)}, and the account may store ${bytesText(storageBytesMax)}.`,
      'Raise max_storage of the account, or lower max_bytes of the streams.',
    ),
  ]
}

/** Settings that were given and are not used, because the streams decide. */
function unlike(
  { settings }: DoctorContext,
  layout: IngestLayout,
  infos: readonly StreamInfo[],
): Finding[] {
  const replicas = Math.min(...infos.map(({ config }) => config.num_replicas))
  const asked = [
    ['INGEST_PARTITIONS', layout.partitions],
    ['INGEST_STREAMS', layout.streams],
    ['INGEST_STREAM_REPLICAS', replicas],
  ] as const
  return asked.flatMap(([name, found]) => {
    const wanted = settings.get(name)
    if (!settings.isSet(name) || wanted === undefined || wanted === found) return []
    return [
      streams.warning(
        name.toLowerCase(),
        `${name} is ${wanted}, and the streams have ${found}, which is used.`,
        `Set ${name}=${found}, or change the streams as docs/scaling.md says.`,
      ),
    ]
  })
}
