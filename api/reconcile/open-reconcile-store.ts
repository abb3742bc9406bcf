/** Connects a reconciliation to the engines of the installation. */
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { readInstallation } from '#platform/installation/installation.ts'
import { currentLayout, readLayouts } from '#platform/installation/layouts.ts'
import { checkClickHouse } from '#platform/installation/open-installation.ts'
import { createLogger } from '#platform/logger.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { createPool } from '#platform/postgres.ts'
import { openPartitionLocks } from './partition-locks-store.ts'
import type { ReconcileContext } from './reconcile-context.ts'
import { natsStreamReader } from './stream-reader-store.ts'

export interface EngineUrls {
  readonly postgres: string
  readonly clickhouse: string
  readonly nats: string
}

/** A statement may count the events of days. */
const statementMsMax = 30 * 60_000
/** A worker that has never started has stored no layout. */
const layoutDefault = { partitions: 1, streams: 1 }

/** Connects, calls `work`, and closes everything again. */
export async function withReconcile<T>(
  urls: EngineUrls,
  say: (sentence: string) => void,
  work: (ctx: ReconcileContext) => Promise<T>,
): Promise<T> {
  const pg = createPool(
    {
      url: urls.postgres,
      applicationName: 'sluice-reconcile',
      connectionsMax: 3,
      statementTimeoutMs: statementMsMax,
    },
    createLogger('reconcile', 'silent'),
  )
  const clickhouse = createClickHouse(urls.clickhouse, 'reconcile')
  try {
    const installation = await readInstallation(pg)
    const layouts = await readLayouts(pg)
    const layout = currentLayout(layouts, layoutDefault)
    await checkClickHouse(clickhouse, installation)
    const nats = await connectNats(urls.nats, 'sluice-reconcile')
    try {
      return await work({
        pg,
        clickhouse,
        streams: natsStreamReader(nats, {
          installationId: installation.id,
          layout,
          next: layouts.next,
        }),
        openLocks: () => openPartitionLocks(urls.postgres),
        clock: systemClock,
        say,
      })
    } finally {
      await nats.close()
    }
  } finally {
    await Promise.all([pg.end(), clickhouse.close()])
  }
}
