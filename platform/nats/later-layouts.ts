/**
 * Layouts on the broker that begin after a given partition. Beside a Postgres that knows nothing of
 * them, they are of a time that it has lost: somebody restored it.
 */
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { layoutOf } from './ingest-streams.ts'
import { installationOfStream } from './stream-mark.ts'
import { firstPartitionOf } from './stream-of-partition.ts'

export interface LaterLayout extends IngestLayout {
  /** Whether a message was ever published to it. */
  readonly isUsed: boolean
}

/** Returns those of this installation whose first partition is at least `from`, ascending. */
export async function findLaterLayouts(
  nats: NatsConnection,
  { installationId, from }: { readonly installationId: string; readonly from: number },
): Promise<LaterLayout[]> {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  const found = new Map<number, LaterLayout>()
  for await (const info of manager.streams.list()) {
    const first = firstPartitionOf(info.config.name)
    if (first === undefined || first < from) continue
    if (installationOfStream(info.config) !== installationId) continue
    const isUsed = info.state.last_seq > 0 || found.get(first)?.isUsed === true
    found.set(first, { ...layoutOf(info), isUsed })
  }
  return [...found.values()].sort((one, other) => one.first - other.first)
}
