import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { ensureIngestStreams, type IngestLayout } from '#platform/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats.ts'
import { decodeFrame, type Frame } from '#schemas/bus/frame.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus, testInstallationId } from './bus.ts'

/** The ingest streams of a test file: empty before every test. */
export interface IngestStreamsFixture {
  readonly nats: NatsConnection
  /** All frames of all streams, stream by stream and in the order of each. */
  readFrames(): Promise<Frame[]>
}

/** Starts and stops a bus with the file; `begin` gets what it holds before every test. */
export function useIngestStreams(
  layout: IngestLayout,
  begin: (fixture: IngestStreamsFixture) => void,
): void {
  const names = Array.from({ length: layout.streams }, (_, index) => `INGEST-${index}`)
  let bus: TestBus | undefined
  let nats: NatsConnection | undefined

  beforeAll(async () => {
    bus = await startBus()
    nats = await connectNats(bus.url, 'test')
    await ensureIngestStreams(nats, {
      ...layout,
      bytesMax: 16 * MiB,
      replicas: 1,
      installationId: testInstallationId,
    })
  }, 120_000)

  afterAll(async () => {
    await nats?.close()
    await bus?.stop()
  })

  beforeEach(async () => {
    if (nats === undefined) throw new Error('the bus did not start')
    const connection = nats
    const manager = await jetstreamManager(connection)
    for (const name of names) await manager.streams.purge(name)
    begin({ nats: connection, readFrames: () => readFrames(connection, names) })
  })
}

async function readFrames(nats: NatsConnection, names: readonly string[]): Promise<Frame[]> {
  const manager = await jetstreamManager(nats)
  const frames: Frame[] = []
  for (const name of names) {
    const { state } = await manager.streams.info(name)
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(name, { seq })
      if (message !== null) frames.push(decodeFrame(message.data))
    }
  }
  return frames
}
