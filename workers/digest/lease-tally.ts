/** Counts the event records of a range by the quota lease they were charged to, for the refunds of the commit. */
import type { RecordView } from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { secondOf } from '../dedup/id-window.ts'

/** What a range's event records say of one lease. Those without a lease (0) are told apart by project and month. */
export interface LeaseCount {
  readonly leaseNo: number
  readonly projectId: ProjectId
  /** First day of the UTC month in which the first of the records was received: `2026-11-01`. */
  readonly receivedMonth: string
  /** Event records charged to the lease, whatever became of them. */
  readonly records: number
  /** Of these, the ones that became events. */
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
      // Nobody has sent what comes without a key: it is an event of ours, of a missed run, and costs nothing.
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
