/** Reads the state of NATS for the doctor: one connection that is closed again, no retries. */
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { readNatsUrls } from '#platform/nats/nats-urls.ts'
import { firstPartitionOf } from '#platform/nats/stream-of-partition.ts'

export interface Broker {
  readonly version: string
  readonly cluster: string | undefined
  readonly messageBytesMax: number
  /** Undefined: the server has no JetStream, or this account may not use it. */
  readonly jetStream: JetStreamFacts | undefined
  readonly jetStreamError: string | undefined
}

export interface JetStreamFacts {
  /** Bytes on disk that the account may use; -1 for no limit. */
  readonly storageBytesMax: number
  readonly storageBytes: number
  /** The streams of Sluice, by name. */
  readonly streams: readonly StreamInfo[]
  /** The clock of the server; servers before 2.10 do not report it. */
  readonly time: { readonly serverMs: number; readonly localMs: number } | undefined
}

const connectMs = 2_500
const requestMs = 1_500

export async function readBroker(urls: string, nowMs: () => number): Promise<Broker> {
  const { servers, user, password, usesTls } = readNatsUrls(urls)
  const connection = await connect({
    servers: [...servers],
    ...(usesTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password }),
    name: 'sluice-doctor',
    timeout: Math.max(500, connectMs / servers.length),
    reconnect: false,
    maxReconnectAttempts: 0,
  })
  try {
    const { version = '', cluster, max_payload: messageBytesMax = 0 } = connection.info ?? {}
    const facts = await readJetStream(connection, nowMs)
    return { version, cluster, messageBytesMax, ...facts }
  } finally {
    // Waits for the server, which may hang.
    void connection.close().catch(() => undefined)
  }
}

async function readJetStream(connection: NatsConnection, nowMs: () => number) {
  try {
    const options = { checkAPI: false, timeout: requestMs }
    const manager = await jetstreamManager(connection, options)
    const [account, streams] = await Promise.all([manager.getAccountInfo(), ourStreams(manager)])
    const first = streams[0]?.config.name
    const time = first === undefined ? undefined : await readTime(connection, first, nowMs)
    const { storage, limits } = account
    return {
      jetStream: { storageBytesMax: limits.max_storage, storageBytes: storage, streams, time },
      jetStreamError: undefined,
    }
  } catch (error) {
    return { jetStream: undefined, jetStreamError: (error as Error).message }
  }
}

async function ourStreams(manager: JetStreamManager): Promise<StreamInfo[]> {
  const found: StreamInfo[] = []
  for await (const info of manager.streams.list()) {
    if (firstPartitionOf(info.config.name) !== undefined) found.push(info)
  }
  return found.sort((one, other) => (one.config.name < other.config.name ? -1 : 1))
}

async function readTime(
  connection: NatsConnection,
  stream: string,
  nowMs: () => number,
): Promise<JetStreamFacts['time']> {
  const beforeMs = nowMs()
  const reply = await connection.request(`$JS.API.STREAM.INFO.${stream}`, '', {
    timeout: requestMs,
  })
  const localMs = (beforeMs + nowMs()) / 2
  const serverMs = Date.parse(reply.json<{ ts?: string }>().ts ?? '')
  return Number.isNaN(serverMs) ? undefined : { serverMs, localMs }
}
