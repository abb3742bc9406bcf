/**
 * Adds up the outcomes of one event-loop turn by key and SDK, so that they are published as one
 * record. A request with outcomes waits for that record as for its events.
 */
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'

export interface OutcomeOwner {
  readonly projectId: ProjectId
  readonly keyNo: DsnKeyNo
  readonly component: string | undefined
}

export interface TalliedOutcomes extends OutcomeOwner {
  readonly sdk: string
  readonly counts: readonly OutcomeCount[]
  readonly waiters: readonly FrameWaiter[]
}

interface Sheet extends OutcomeOwner {
  readonly sdk: string
  readonly counts: Map<string, OutcomeCount>
  readonly waiters: FrameWaiter[]
}

export class OutcomeTally {
  #sheets = new Map<string, Sheet>()

  get isEmpty(): boolean {
    return this.#sheets.size === 0
  }

  /**
   * Each waiter must have been held once for this call. Rejections have no waiter.
   * @param sdk as `SdkNames` gives it.
   */
  add(
    owner: OutcomeOwner,
    sdk: string,
    counts: readonly OutcomeCount[],
    waiter: FrameWaiter | undefined,
  ): void {
    const name = `${owner.keyNo} ${sdk}`
    let sheet = this.#sheets.get(name)
    if (sheet === undefined) {
      sheet = {
        projectId: owner.projectId,
        keyNo: owner.keyNo,
        component: owner.component,
        sdk,
        counts: new Map(),
        waiters: [],
      }
      this.#sheets.set(name, sheet)
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
