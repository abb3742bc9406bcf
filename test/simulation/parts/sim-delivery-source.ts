import { partitionsOf } from '#schemas/bus/layout.ts'
import type { DeliverySource } from '../../../ingest/wal/delivery-source.ts'
import type { World } from '../world.ts'
import type { SimBroker } from './sim-broker.ts'
import type { SimProcess } from './sim-process.ts'

/** What one ingest process reads about its frames from Postgres and the broker. */
export function simDeliverySource(process: SimProcess, world: World): DeliverySource {
  const { links, ranges, quota, scenario, timeline } = world
  const partitions = partitionsOf(scenario.layout)
  return {
    read: (instanceIds) =>
      links.postgres.call(process, 'read progress', () => ({
        digested: partitions.flatMap((partition) =>
          [...(ranges.progress.get(partition)?.values() ?? [])]
            .filter(({ instanceId }) => instanceIds.includes(instanceId))
            .map((progress) => ({ ...progress, partition })),
        ),
        committedSeqs: new Map(
          [...ranges.cursors].map(([partition, { committedSeq }]) => [partition, committedSeq]),
        ),
      })),
    lastSeqs: () =>
      world.askBroker(process, 'read the last frames', (broker) => {
        return new Map(partitions.map((partition) => [partition, lastOf(broker, partition)]))
      }),
    settleInstance: (instanceId) =>
      links.postgres.call(process, `settle ${instanceId.slice(0, 6)}`, () =>
        quota.settleInstance(instanceId, timeline.nowMs),
      ),
    // Deletions are not simulated.
    reportLog: async () => undefined,
  }
}

/** Sequence of the last stored frame of the partition; 0 if there is none. */
function lastOf(broker: SimBroker, partition: number): number {
  const messages = broker.streamOf(partition).messages
  return messages.findLast((message) => message.partition === partition)?.seq ?? 0
}
