/**
 * Counts the event records of a range by the quota lease they were charged to, for the refunds of
 * the commit.
 */
import type { RecordView } from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { secondOf } from '../dedup/id-window.ts'

/**
 * Event records of a range by lease. Records without a lease (0) are counted by project and month.
 */
export interface LeaseCount {
  readonly leaseNo: number
  readonly projectId: ProjectId
  /** First day of the UTC month in which the first of the records was received: `2026-11-01`. */
  readonly receivedMonth: string
  /** Event records charged to the lease, with any outcome. */
  readonly records: number
  /** Number of these records that became events. */
  readonly accepted: number
}

export type OpenLeaseCount = { -readonly [Key in keyof LeaseCount]: LeaseCount[Key] }

export class LeaseTally {
  readonly #counts = new Map<string, OpenLeaseCount>()

  /** Counts the record; the caller adds to `accepted` when it became an event. */
  add({ leaseNo, projectId, dsnKeyNo, receivedAtMs }: RecordView): OpenLeaseCount {
    const name =
      leaseNo === 0 ? `0 ${projectId} ${monthOf(receivedAtMs)}` : `${leaseNo} ${projectId}`
    let count = this.#counts.get(name)
    if (count === undefined) {
      const receivedMonth = monthOf(receivedAtMs)
      count = { leaseNo, projectId, receivedMonth, records: 0, accepted: 0 }
      // A record without a key is an event that the product made (a missed run); it costs no quota.
      if (dsnKeyNo !== 0) this.#counts.set(name, count)
    }
    count.records += 1
    return count
  }

  counts(): LeaseCount[] {
    return [...this.#counts.values()]
  }
}

function monthOf(ms: number): string {
  return `${new Date(secondOf(ms) * 1000).toISOString().slice(0, 7)}-01`
}
