import type { RowBinaryWriter } from '../rows/row-binary.ts'
import { type SessionUpdate, sessionStatuses } from './parse-sessions.ts'

export const sessionColumns = [
  'project_id',
  'hour',
  'release',
  'environment',
  'sid',
  'status',
  'errored',
  'weight',
  'user_hash',
  'duration_ms',
  'retention_days',
] as const

export function writeSessionRow(
  row: RowBinaryWriter,
  update: SessionUpdate,
  retentionDays: number,
): void {
  row.uint64(update.projectId)
  row.uint32(update.hourSecond)
  row.text(update.release)
  row.text(update.environment)
  row.uuid(update.sid)
  row.uint8(sessionStatuses.indexOf(update.status))
  row.uint8(update.isErrored ? 1 : 0)
  row.uint8(update.counts ? 1 : 0)
  row.uint64(update.userHash)
  row.uint64(update.durationMs)
  row.uint16(retentionDays)
}
