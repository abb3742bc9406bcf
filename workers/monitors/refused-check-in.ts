/**
 * Check-ins that a commit refuses. The digest has counted them as accepted, in rows that are inserted before the commit decides, so
 * the commit writes corrections: one accepted less, one rejected more.
 */
import type { Category, Outcome, RejectReason } from '#schemas/outcome.ts'
import type { StoredText } from '#schemas/stored-text.ts'
import { secondOf } from '../dedup/id-window.ts'
import type { CheckInRecord } from './fold-monitor.ts'
import type { CheckInRefusal } from './monitor-run.ts'

export type MonitorRefusal =
  | CheckInRefusal
  | 'too_many_environments'
  | 'too_many_monitors'
  | 'monitor_deleted'

export interface RefusedCheckIn {
  readonly checkIn: CheckInRecord
  readonly reason: MonitorRefusal
}

/** A change of one row of the table `outcomes`. */
export interface OutcomeCorrection {
  readonly projectId: number
  readonly dsnKeyNo: number
  readonly component: StoredText
  /** Start of the hour in seconds since the epoch. */
  readonly hourSecond: number
  readonly outcome: Outcome
  readonly reason: '' | RejectReason
  readonly category: Category
  /** Never 0. */
  readonly quantity: number
}

const rejectReasonOf: Record<MonitorRefusal, RejectReason> = {
  rate_limited: 'check_in_rate',
  id_in_use: 'check_in_id_in_use',
  already_finished: 'check_in_already_finished',
  too_many_runs: 'too_many_runs',
  too_many_environments: 'too_many_environments',
  too_many_monitors: 'too_many_monitors',
  monitor_deleted: 'monitor_deleted',
}

const hourSeconds = 3_600

/** Summed, with equal rows together. */
export function correctionsOf(refused: readonly RefusedCheckIn[]): OutcomeCorrection[] {
  const sums = new Map<string, OutcomeCorrection>()
  const add = (row: OutcomeCorrection) => {
    const { projectId, dsnKeyNo, hourSecond, reason, component } = row
    const name = `${projectId} ${dsnKeyNo} ${hourSecond} ${reason} ${component}`
    const quantity = (sums.get(name)?.quantity ?? 0) + row.quantity
    sums.set(name, { ...row, quantity })
  }
  for (const { checkIn, reason } of refused) {
    // The digest has counted it as rejected already, for its monitor_config.
    if (checkIn.error !== undefined) continue
    const { projectId, dsnKeyNo, component, receivedAtMs } = checkIn
    const hourSecond = Math.floor(secondOf(receivedAtMs) / hourSeconds) * hourSeconds
    const place = { projectId, dsnKeyNo, component, hourSecond, category: 'monitor' } as const
    add({ ...place, outcome: 'accepted', reason: '', quantity: -1 })
    add({ ...place, outcome: 'rejected', reason: rejectReasonOf[reason], quantity: 1 })
  }
  return [...sums.values()]
}
