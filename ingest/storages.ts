import type { Env } from '#platform/env.ts'
import { folderStorage } from '#platform/metrics/folder-storage.ts'
import type { ReadStorages } from '#platform/metrics/storage-metrics.ts'
import type { Intake } from './open-intake.ts'

/** Storages whose free space this process reports: its disks, and the limit of its own log. */
export function storagesOf(
  { ctx, logFolder }: Pick<Intake, 'ctx' | 'logFolder'>,
  env: Env<'SLUICE_DATA_DIR' | 'INGEST_LOG_BYTES_MAX'>,
): ReadStorages[] {
  const data = folderStorage('data', env.SLUICE_DATA_DIR)
  const { wal } = ctx
  if (logFolder === undefined || wal === undefined) return [data]
  const sizeBytes = env.INGEST_LOG_BYTES_MAX
  return [
    data,
    folderStorage('ingest_log', logFolder),
    () => [
      {
        folder: 'ingest_log_limit',
        freeBytes: Math.max(0, sizeBytes - wal.byteCount),
        sizeBytes,
      },
    ],
  ]
}
