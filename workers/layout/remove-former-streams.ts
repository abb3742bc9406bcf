/**
 * Deletes the streams of former layouts. Workers moved on when everything in them was committed, so
 * they hold nothing; they are kept for a while, because a worker that still runs with the former
 * layout would create them again.
 */
import type { JetStreamManager } from '@nats-io/jetstream'
import type { Logger } from '#platform/logger.ts'
import { installationOfStream } from '#platform/nats/stream-mark.ts'
import { firstPartitionOf } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'

const keptFor = '1 minute'

export interface FormerStreamsContext {
  readonly pg: Pool
  readonly manager: JetStreamManager
  readonly layout: IngestLayout
  readonly installationId: string
  readonly log: Logger
}

/** Returns the names of the deleted streams. */
export async function removeFormerStreams(ctx: FormerStreamsContext): Promise<string[]> {
  const { pg, manager, layout, installationId, log } = ctx
  if (layout.first === 0) return []
  const { rowCount } = await pg.query(
    `select from installation
     where first_partition = $1 and layout_since < now() - interval '${keptFor}'`,
    [layout.first],
  )
  if (rowCount === 0) return []
  const former: string[] = []
  for await (const { config } of manager.streams.list()) {
    const first = firstPartitionOf(config.name)
    if (first === undefined || first >= layout.first) continue
    if (installationOfStream(config) === installationId) former.push(config.name)
  }
  for (const stream of former) {
    await manager.streams.delete(stream)
    log.info({ code: 'stream_deleted', stream }, 'The stream of a former layout was deleted.')
  }
  return former
}
