/**
 * Begins to change the number of partitions. The new layout is stored as the next one, and its
 * streams are created, so that a broker without room for them is found here and not when ingest
 * starts. Ingest processes publish to it from their next start; workers move to it when nothing is
 * left in the former partitions (workers/layout/switch-layout.ts). Nothing is refused, and ids are
 * remembered across the change.
 *
 * A Postgres that was restored may not know partitions that were used since. Their numbers are not
 * given out again, and a layout on the broker that has carried frames becomes the next one, so that
 * these frames are digested.
 */
import type { Installation } from '#platform/installation/installation.ts'
import { createIngestStreams } from '#platform/nats/ingest-streams.ts'
import { findLaterLayouts } from '#platform/nats/later-layouts.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { BrokerStorageError } from '#platform/nats/stream-calls.ts'
import { describeLayout, type IngestLayout, isSameLayout } from '#schemas/bus/layout.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ClickHouse, Postgres } from '../database.ts'
import { listSilentInstances, lockLayouts, setNextLayout } from './partition-store.ts'
import { endOfStoredPartitions } from './stored-partition-store.ts'

export interface SetPartitionsContext {
  readonly pg: Postgres
  readonly clickhouse: ClickHouse
  readonly nats: NatsConnection
  readonly installation: Installation
}

export interface SetPartitions {
  readonly count: number
  readonly streams: number
  /** Maximum bytes and replicas of each new stream. */
  readonly bytesMax: number
  readonly replicas: number
}

export const partitionsMax = 64
/** End of the last layout; partition numbers are two bytes in frames and rows. */
const partitionNumberMax = 65_535

/** Returns the next layout. The same request again changes nothing. */
export async function setPartitions(
  ctx: SetPartitionsContext,
  input: SetPartitions,
): Promise<IngestLayout> {
  checkSize(input)
  return ctx.pg.transaction(async (pg) => {
    const layouts = await lockLayouts(pg)
    const { current } = layouts
    if (current === undefined) {
      throw new CodedError('conflict', {
        message:
          'There are no partitions yet: start ingest or workers once, or set INGEST_PARTITIONS.',
      })
    }
    const wanted = { partitions: input.count, streams: input.streams }
    if (layouts.next !== undefined) {
      const isSame =
        layouts.next.partitions === wanted.partitions && layouts.next.streams === wanted.streams
      if (isSame) return layouts.next
      throw new CodedError('conflict', {
        message: `A change to ${layouts.next.partitions} partitions is in progress: see \`partitions show\`.`,
      })
    }
    const from = endOf(current)
    const later = await findLaterLayouts(ctx.nats, { installationId: ctx.installation.id, from })
    const lost = later.find(({ isUsed }) => isUsed)
    const isSameSize =
      current.partitions === wanted.partitions && current.streams === wanted.streams
    if (lost === undefined && isSameSize) {
      throw new CodedError('conflict', {
        message: `There are ${current.partitions} partitions in ${current.streams} streams already.`,
      })
    }
    const [silent] = await listSilentInstances(pg)
    if (silent !== undefined) {
      throw new CodedError('conflict', {
        message: `Ingest instance ${silent.instanceId} has not reported since ${silent.seenAt.toISOString()}, and a change would wait for it: start ingest on its machine, or end it with \`partitions settle\` if its write-ahead log is lost.`,
      })
    }
    const first =
      lost?.first ?? freeFirst(Math.max(from, await endOfStoredPartitions(ctx.clickhouse)), later)
    const next = { ...wanted, first }
    if (lost !== undefined) expectLayout(lost, next)
    if (endOf(next) > partitionNumberMax) {
      throw new CodedError('conflict', { message: 'All partition numbers have been used.' })
    }
    await setNextLayout(pg, next)
    // Within the transaction: without the streams there is no next layout.
    await createStreams(ctx, next, input)
    return next
  })
}

/**
 * Streams without frames at `first` are created again; subjects of other streams must not overlap
 * with those of the new ones.
 */
function freeFirst(first: number, later: readonly IngestLayout[]): number {
  const isFree = later.every((layout) => layout.first === first || endOf(layout) <= first)
  return isFree ? first : Math.max(first, ...later.map(endOf))
}

function endOf({ first, partitions }: Pick<IngestLayout, 'first' | 'partitions'>): number {
  return first + partitions
}

async function createStreams(
  { nats, installation }: SetPartitionsContext,
  layout: IngestLayout,
  { bytesMax, replicas }: SetPartitions,
): Promise<void> {
  const options = { ...layout, installationId: installation.id, bytesMax, replicas }
  const made = await createIngestStreams(nats, options).catch((error: unknown) => {
    if (!(error instanceof BrokerStorageError)) throw error
    throw new CodedError('conflict', { message: `${error.message}.`, cause: error })
  })
  expectLayout(made.layout, layout)
}

function expectLayout(found: IngestLayout, wanted: IngestLayout): void {
  if (isSameLayout(found, wanted)) return
  const { partitions, streams } = found
  throw new CodedError('conflict', {
    message: `The broker holds frames in ${describeLayout(found)}. Set these numbers first, so that they are digested: \`partitions set --count ${partitions} --streams ${streams}\`.`,
  })
}

function checkSize({ count, streams }: SetPartitions): void {
  if (!Number.isInteger(count) || count < 1 || count > partitionsMax) {
    throw invalid('count', `must be a whole number from 1 to ${partitionsMax}`)
  }
  if (!Number.isInteger(streams) || streams < 1 || streams > count) {
    throw invalid('streams', `must be a whole number from 1 to the number of partitions (${count})`)
  }
}

function invalid(field: string, rule: string): CodedError {
  return new CodedError('validation_failed', {
    message: `\`${field}\` ${rule}.`,
    details: [{ field, rule }],
  })
}
