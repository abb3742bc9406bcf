/**
 * Corrections of outcomes for check-ins that a commit refuses. The digest has counted them as
 * accepted, in rows that are inserted before the commit decides, so the commit subtracts one
 * accepted item and adds one rejected item.
 */
import type { Category, Outcome, RejectReason } from '#schemas/outcome.ts'
import type { StoredText } from '#schemas/stored-text.ts'
import { secondOf } from '../dedup/id-window.ts'
import type { RefusedCheckIn } from './fold-monitor.ts'
import type { MonitorRefusal } from './monitor-run.ts'

/** A change of one row of the table `outcomes`. */
export interface OutcomeCorrection {
  readonly projectId: number
  readonly dsnKeyNo: number
  readonly component: StoredText
  readonly sdk: StoredText
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

/** Corrections of the same row are summed into one. */
export function correctionsOf(refused: readonly RefusedCheckIn[]): OutcomeCorrection[] {
  const sums = new Map<string, OutcomeCorrection>()
  const add = (row: OutcomeCorrection) => {
    const { projectId, dsnKeyNo, hourSecond, reason, component, sdk } = row
    const name = `${projectId} ${dsnKeyNo} ${hourSecond} ${reason} ${sdk.length} ${sdk}${component}`
    const quantity = (sums.get(name)?.quantity ?? 0) + row.quantity
    sums.set(name, { ...row, quantity })
  }
  for (const { checkIn, reason } of refused) {
    // The digest has counted it as rejected already, because its monitor_config is invalid.
    if (checkIn.error !== undefined) continue
    const { projectId, dsnKeyNo, component, sdk, receivedAtMs } = checkIn
    const hourSecond = Math.floor(secondOf(receivedAtMs) / hourSeconds) * hourSeconds
    const place = { projectId, dsnKeyNo, component, sdk, hourSecond, category: 'monitor' } as const
    add({ ...place, outcome: 'accepted', reason: '', quantity: -1 })
    add({ ...place, outcome: 'rejected', reason: rejectReasonOf[reason], quantity: 1 })
  }
  return [...sums.values()]
}
