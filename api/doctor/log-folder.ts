import { join, resolve } from 'node:path'
import type { DoctorSettings } from './doctor-settings.ts'

/** The folder of the write-ahead logs, as ingest chooses it. */
export function logFolder(settings: DoctorSettings, installationId: string): string {
  const dataDir = settings.get('SLUICE_DATA_DIR') ?? '.sluice'
  return resolve(settings.get('INGEST_LOG_DIR') ?? join(dataDir, 'ingest-log', installationId))
}
