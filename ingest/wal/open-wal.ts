/**
 * Opens the write-ahead log of this process: a separate folder beside those of the other ingest
 * processes.
 */
import { join, resolve } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import type { Env } from '#platform/env.ts'
import { ForeignInstallationError, type Installation } from '#platform/installation/installation.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { DiskWalStore } from './disk-wal-store.ts'
import { isKnownInstance, isOfFormerLayout } from './known-instance.ts'
import { logLeftAlone } from './wal-notification.ts'
import type { WalFolder } from './wal-store.ts'

export interface OpenWalOptions {
  readonly env: Env<'SLUICE_DATA_DIR' | 'INGEST_LOG_DIR' | 'INGEST_DURABILITY'>
  readonly pool: Pool
  readonly installation: Installation
  readonly instanceId: string
  readonly log: Logger
}

export interface OpenedWal {
  readonly store: DiskWalStore
  readonly folder: WalFolder
}

/**
 * Returns undefined if the folder cannot be written and `INGEST_DURABILITY=broker` permits running
 * without a log. Rejects if the log is required, or the folder belongs to another installation.
 */
export async function openWal(options: OpenWalOptions): Promise<OpenedWal | undefined> {
  const { env, pool, installation, instanceId, log } = options
  const formerBase = resolve(env.SLUICE_DATA_DIR, 'ingest-log')
  const base = resolve(env.INGEST_LOG_DIR ?? join(formerBase, installation.id))
  const store = new DiskWalStore({
    base,
    clock: systemClock,
    installationId: installation.id,
    ...(env.INGEST_LOG_DIR === undefined ? { formerBase } : {}),
    isOwnInstance: (id) => isKnownInstance(pool, id),
    isOfFormerLayout: (id) => isOfFormerLayout(pool, id),
    onLeftAlone: (left) => logLeftAlone(log, left, installation.id),
  })
  try {
    return { store, folder: await store.create(instanceId) }
  } catch (cause) {
    if (cause instanceof ForeignInstallationError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    const text = `the log folder ${base} cannot be written: ${reason}; set INGEST_LOG_DIR`
    if (env.INGEST_DURABILITY === 'log') throw new Error(text)
    log.error({ code: 'log_missing' }, `Ingest runs without a write-ahead log: ${text}`)
    return undefined
  }
}
