/**
 * Adds up the outcomes of one event-loop turn by project and key, so that they are published as one
 * record. A request with outcomes waits for that record as for its events.
 */
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'

export interface OutcomeOwner {
  readonly projectId: ProjectId
  readonly keyNo: DsnKeyNo
}

export interface TalliedOutcomes extends OutcomeOwner {
  readonly counts: readonly OutcomeCount[]
  readonly waiters: readonly FrameWaiter[]
}

interface Sheet extends OutcomeOwner {
  readonly counts: Map<string, OutcomeCount>
  readonly waiters: FrameWaiter[]
}

export class OutcomeTally {
  #sheets = new Map<DsnKeyNo, Sheet>()

  get isEmpty(): boolean {
    return this.#sheets.size === 0
  }

  /** Each waiter must have been held once for this call. Rejections have no waiter. */
  add(owner: OutcomeOwner, counts: readonly OutcomeCount[], waiter: FrameWaiter | undefined): void {
    let sheet = this.#sheets.get(owner.keyNo)
    if (sheet === undefined) {
      sheet = {
        projectId: owner.projectId,
        keyNo: owner.keyNo,
        counts: new Map(),
        waiters: [],
      }
      this.#sheets.set(owner.keyNo, sheet)
    }
    for (const count of counts) {
      const label = `${count.outcome}\n${count.reason}\n${count.category}`
      const quantity = (sheet.counts.get(label)?.quantity ?? 0) + count.quantity
      sheet.counts.set(label, { ...count, quantity })
    }
    if (waiter !== undefined) sheet.waiters.push(waiter)
  }

  take(): TalliedOutcomes[] {
    const sheets = [...this.#sheets.values()]
    this.#sheets = new Map()
    return sheets.map((sheet) => ({ ...sheet, counts: [...sheet.counts.values()] }))
  }
}
