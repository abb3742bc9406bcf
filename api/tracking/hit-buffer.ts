/**
 * Buffers opens and clicks, so that no redirect waits for a write. Hits are held for a few seconds,
 * then classified together with other hits of the same contact and written in batches. A full
 * buffer drops and counts hits, because a working link is more important than an exact count.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { Postgres } from '../database.ts'
import { burstMs, contactOf, type Hit, markMachines } from './mark-machines.ts'
import { addHits, endSoftRunsOf, type FoldedHit, handOverTimes } from './tracking-store.ts'

/** A hit, and whether its newsletter tracks contacts. */
export type BufferedHit = Hit & { readonly namesContact: boolean }

const hitsHeldMax = 50_000
const batchHitsMax = 1_000
/** Batches of one flush. */
const batchesMax = 10
const flushIntervalMs = 1_000
const heldMs = burstMs + 1_000
const userAgentCharactersMax = 300
/** Buffered hits of one contact: enough to detect a burst, too few to slow down a batch. */
const hitsPerContactMax = 200

export class HitBuffer {
  droppedCount = 0
  readonly #pg: Postgres
  readonly #clock: Clock
  readonly #log: Logger
  #waiting: BufferedHit[] = []
  /** Hits that were written and still serve to classify later ones. */
  #recent: BufferedHit[] = []
  readonly #countOfContact = new Map<string, number>()

  constructor(context: { pg: Postgres; clock: Clock; log: Logger }) {
    this.#pg = context.pg
    this.#clock = context.clock
    this.#log = context.log
  }

  flushTask(): PeriodicTaskOptions {
    return {
      name: 'tracking_hits',
      intervalMs: flushIntervalMs,
      run: () => this.flush(),
      failure: { code: 'hits_not_written', text: 'Writing opens and clicks failed' },
    }
  }

  /**
   * Writes all buffered hits without waiting for related ones. Call it when the process ends and
   * the task has stopped. If a write fails, the rest is lost.
   */
  async flushAll(): Promise<void> {
    try {
      while (0 < this.#waiting.length) await this.flush(Number.POSITIVE_INFINITY)
    } catch (error) {
      this.#log.warn(
        { code: 'hits_not_written', err: error, count: this.#waiting.length },
        'Writing the last opens and clicks failed; they are lost.',
      )
    }
  }

  add(hit: BufferedHit): void {
    const contact = contactOf(hit)
    const count = (this.#countOfContact.get(contact) ?? 0) + 1
    if (hitsHeldMax <= this.#waiting.length || hitsPerContactMax < count) {
      this.droppedCount += 1
      return
    }
    this.#countOfContact.set(contact, count)
    const userAgent = hit.userAgent?.slice(0, userAgentCharactersMax) ?? null
    this.#waiting.push({ ...hit, userAgent })
  }

  /** Writes the hits that were held long enough. If it throws, they stay for the next flush. */
  async flush(nowMs: number = this.#clock.nowMs()): Promise<void> {
    this.#recent = this.#recent.filter(({ atMs }) => nowMs - atMs < 2 * heldMs)
    for (let batch = 0; batch < batchesMax; batch += 1) {
      const due = this.#waiting.filter(({ atMs }) => heldMs <= nowMs - atMs).slice(0, batchHitsMax)
      if (due.length === 0) return
      await this.#write(due)
      this.#moveToRecent(due)
    }
  }

  async #write(due: readonly BufferedHit[]): Promise<void> {
    const handedOver = await handOverTimes(this.#pg, due)
    const around = [...this.#recent, ...this.#waiting]
    const isMachine = markMachines(
      due,
      around,
      handedOver.map((at) => at?.getTime() ?? null),
    )
    const folded = due.map(
      (hit, index): FoldedHit => ({
        campaignId: hit.campaignId,
        contactId: hit.namesContact ? hit.contactId : null,
        kind: hit.kind,
        linkIndex: hit.linkIndex,
        machine: isMachine[index]!,
        userAgent: hit.userAgent,
        at: new Date(hit.atMs),
      }),
    )
    const clicked = due.filter(({ kind }, index) => kind === 'click' && !isMachine[index])
    await this.#pg.transaction(async (pg) => {
      await addHits(pg, folded)
      if (0 < clicked.length) {
        await endSoftRunsOf(pg, [...new Set(clicked.map(({ contactId }) => contactId))])
      }
    })
  }

  #moveToRecent(written: readonly BufferedHit[]): void {
    const gone = new Set(written)
    this.#waiting = this.#waiting.filter((hit) => !gone.has(hit))
    this.#recent.push(...written)
    for (const hit of written) {
      const contact = contactOf(hit)
      const count = this.#countOfContact.get(contact) ?? 0
      if (count <= 1) this.#countOfContact.delete(contact)
      else this.#countOfContact.set(contact, count - 1)
    }
  }
}
