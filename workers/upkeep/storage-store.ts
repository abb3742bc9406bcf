/** Free space of ClickHouse and JetStream, which one worker process reports. */
import type { JetStreamManager } from '@nats-io/jetstream'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { ReadStorages, Storage } from '#platform/metrics/storage-metrics.ts'
import { streamNames } from '#platform/nats/ingest-streams.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'

/** Object storage reports a size near 2^64: it is never full. */
const sizeBytesMax = 2 ** 60
const disksMax = 50

interface StorageOwner {
  readonly owner: { readonly owned: readonly number[] }
  readonly layout: Pick<IngestLayout, 'first'>
}

/** Only the owner of the first partition reads them, so that each is reported once. */
export function storesOfOwner(
  { owner, layout }: StorageOwner,
  storages: readonly ReadStorages[],
): ReadStorages[] {
  return storages.map((read) => () => (owner.owned.includes(layout.first) ? read() : []))
}

/** The disks of ClickHouse. */
export function clickHouseStorage(clickhouse: ClickHouseClient): ReadStorages {
  return async () => {
    const result = await clickhouse.query({
      query: `select name, toFloat64(free_space) as free, toFloat64(total_space) as size
              from system.disks order by name limit ${disksMax}`,
      format: 'JSONEachRow',
    })
    const disks = await result.json<{ name: string; free: number; size: number }>()
    return disks
      .filter(({ size }) => size > 0 && size < sizeBytesMax)
      .map(({ name, free, size }) => ({
        folder: `clickhouse:${name}`,
        freeBytes: free,
        sizeBytes: size,
      }))
  }
}

/** The streams up to their maximum bytes, and the storage of the account if it is limited. */
export function jetStreamStorage(manager: JetStreamManager, layout: IngestLayout): ReadStorages {
  return async () => {
    const storages: Storage[] = []
    const account = await manager.getAccountInfo()
    if (account.limits.max_storage > 0) {
      storages.push(storageOf('nats', account.storage, account.limits.max_storage))
    }
    for (const stream of streamNames(layout)) {
      const { config, state } = await manager.streams.info(stream)
      if (config.max_bytes <= 0) continue
      storages.push(storageOf(`nats:${stream}`, state.bytes, config.max_bytes))
    }
    return storages
  }
}

function storageOf(folder: string, usedBytes: number, sizeBytes: number): Storage {
  return { folder, freeBytes: Math.max(0, sizeBytes - usedBytes), sizeBytes }
}
