/**
 * Opens the bus when ingest or a worker starts: connects, creates missing streams, and records
 * their layout in Postgres.
 */
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { Env } from '../env.ts'
import type { Installation } from '../installation/installation.ts'
import { currentLayout, noteLayout, publishedLayout, readLayouts } from '../installation/layouts.ts'
import { retryAtStart } from '../installation/retry-at-start.ts'
import type { Logger } from '../logger.ts'
import type { Pool } from '../postgres.ts'
import { ensureIngestStreams, type IngestStreamOptions } from './ingest-streams.ts'
import { connectNats, type NatsConnection } from './nats.ts'
import { readNatsUrls } from './nats-urls.ts'

export interface IngestBusOptions {
  readonly env: Env<
    | 'NATS_URL'
    | 'INGEST_PARTITIONS'
    | 'INGEST_STREAMS'
    | 'INGEST_STREAM_BYTES_MAX'
    | 'INGEST_STREAM_REPLICAS'
  >
  /** Name of the connection, as the broker lists it. */
  readonly connectionName: string
  /** While the number of partitions is being changed, ingest uses the new layout before workers. */
  readonly role: 'publisher' | 'digester'
  readonly installation: Installation
  readonly pg: Pool
  readonly log: Logger
}

export interface IngestBus {
  readonly nats: NatsConnection
  /** The layout of the existing streams, which may differ from the environment. */
  readonly layout: IngestLayout
  readonly streamOptions: IngestStreamOptions
}

/**
 * Waits for a broker that is starting. Rejects if it cannot be used, or belongs to another
 * installation.
 */
export async function openIngestBus(options: IngestBusOptions): Promise<IngestBus> {
  const { env, connectionName, role, installation, pg, log } = options
  const servers = readNatsUrls(env.NATS_URL).servers.join(', ')
  const nats = await retryAtStart(log, `NATS at ${servers}`, () =>
    connectNats(env.NATS_URL, connectionName),
  ).catch((cause: Error) => {
    throw new Error(`NATS at ${servers} cannot be used: ${cause.message}`, { cause })
  })
  const asked = { partitions: env.INGEST_PARTITIONS, streams: env.INGEST_STREAMS }
  const layouts = await retryAtStart(log, 'Postgres', () => readLayouts(pg))
  const wanted =
    role === 'publisher' ? publishedLayout(layouts, asked) : currentLayout(layouts, asked)
  const streamOptions = {
    ...wanted,
    installationId: installation.id,
    bytesMax: env.INGEST_STREAM_BYTES_MAX,
    replicas: env.INGEST_STREAM_REPLICAS,
  }
  const { layout } = await retryAtStart(log, 'JetStream', () =>
    ensureIngestStreams(nats, streamOptions),
  )
  await retryAtStart(log, 'Postgres', () => noteLayout(pg, { asked, found: layout }, log))
  return {
    nats,
    layout,
    streamOptions: { ...streamOptions, ...layout },
  }
}
