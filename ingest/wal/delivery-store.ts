/** Reads the delivery state from Postgres and the broker. */
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { readLayouts } from '#platform/installation/layouts.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import type { Pool } from '#platform/postgres.ts'
import { type IngestLayout, partitionsOf } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import { dashed, undashed } from '#schemas/ids.ts'
import type { DeliverySource, DeliveryState } from './delivery-source.ts'

export interface DeliveryStoreOptions {
  readonly pool: Pool
  readonly nats: NatsConnection
  /** The layout to which this process publishes. */
  readonly layout: IngestLayout
  readonly settleInstance: (instanceId: string) => Promise<void>
}

interface ProgressRow {
  readonly partition: number
  readonly committed_seq: number
  readonly boot_id: string | null
  readonly contiguous: number | null
  readonly ahead: readonly string[] | null
}

export class DeliveryStore implements DeliverySource {
  readonly #options: DeliveryStoreOptions

  constructor(options: DeliveryStoreOptions) {
    this.#options = options
  }

  async read(instanceIds: readonly string[]): Promise<DeliveryState> {
    // One statement, so that the cursors and the frames that moved them are consistent.
    const { rows } = await this.#options.pool.query<ProgressRow>(
      `select partition, committed_seq, boot_id, contiguous, ahead
         from partition_cursors
         left join frame_progress using (partition)
        where boot_id is null or boot_id = any($1::uuid[])
       union all
       select partition, committed_seq, null, null, null from partition_cursors`,
      [instanceIds.map(dashed)],
    )
    return {
      committedSeqs: new Map(rows.map((row) => [row.partition, row.committed_seq])),
      digested: rows.flatMap(({ partition, boot_id, contiguous, ahead }) =>
        boot_id === null
          ? []
          : {
              instanceId: undashed(boot_id),
              partition,
              contiguous: contiguous ?? 0,
              ahead: (ahead ?? []).map(Number),
            },
      ),
    }
  }

  async lastSeqs(): Promise<ReadonlyMap<number, number>> {
    const { pool, nats, layout: own } = this.#options
    // Of the layout that workers digest: nothing of its successor is committed yet.
    const layout = (await readLayouts(pool)).current ?? own
    const manager = await jetstreamManager(nats, { checkAPI: false })
    const seqs = await Promise.all(
      partitionsOf(layout).map(async (partition): Promise<[number, number]> => {
        const stream = streamOfPartition(partition, layout)
        const query = { last_by_subj: ingestSubject(partition) }
        const message = await manager.streams.getMessage(stream, query)
        return [partition, message?.seq ?? 0]
      }),
    )
    return new Map(seqs)
  }

  settleInstance(instanceId: string): Promise<void> {
    return this.#options.settleInstance(instanceId)
  }

  async reportLog(instanceId: string, oldestFrameMs: number | undefined): Promise<void> {
    await this.#options.pool.query(
      `update ingest_boots set log_reported_at = now(),
         log_oldest_at = now() - $2::float8 * interval '1 millisecond' where boot_id = $1`,
      [dashed(instanceId), oldestFrameMs ?? null],
    )
  }
}
