/**
 * Opens and clicks on their way to the store. A redirect never waits for a write: hits are held for a few seconds, judged together
 * with what the same reader did around them, and written in batches. A buffer that is full drops hits and counts them; a count that is
 * a little low is better than a link that does not lead on.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { Postgres } from '../database.ts'
import { burstMs, contactOf, type Hit, markMachines } from './mark-machines.ts'
import { addHits, endSoftRunsOf, type FoldedHit, handOverTimes } from './tracking-store.ts'

/** What the campaign's newsletter wants to know of a hit's reader. */
export type BufferedHit = Hit & { readonly namesContact: boolean }

const hitsHeldMax = 50_000
const batchHitsMax = 1_000
/** Of one flush: after a big campaign opens come by the thousand. */
const batchesMax = 10
const flushEveryMs = 1_000
const heldMs = burstMs + 1_000
const userAgentCharactersMax = 300
/** Of one reader and kind of hit: enough to see a burst, too few to slow one batch down. */
const hitsPerContactMax = 200

export class HitBuffer {
  droppedCount = 0
  readonly #pg: Postgres
  readonly #clock: Clock
  readonly #log: Logger
  #waiting: BufferedHit[] = []
  /** Written, and still of use to judge those that follow. */
  #recent: BufferedHit[] = []
  readonly #countOfContact = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(parts: { pg: Postgres; clock: Clock; log: Logger }) {
    this.#pg = parts.pg
    this.#clock = parts.clock
    this.#log = parts.log
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#flushing = this.#flushing.then(() => this.flush())
    }, flushEveryMs)
    this.#timer.unref()
  }

  /** Writes all that is held, without waiting for what may follow it. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#flushing
    while (0 < this.#waiting.length) {
      const before = this.#waiting.length
      await this.flush(Number.POSITIVE_INFINITY)
      if (this.#waiting.length === before) return
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

  /** Writes what has been held long enough. What cannot be written waits for the next time. */
  async flush(nowMs: number = this.#clock.nowMs()): Promise<void> {
    this.#recent = this.#recent.filter(({ atMs }) => nowMs - atMs < 2 * heldMs)
    for (let batch = 0; batch < batchesMax; batch += 1) {
      const due = this.#waiting.filter(({ atMs }) => heldMs <= nowMs - atMs).slice(0, batchHitsMax)
      if (due.length === 0) return
      try {
        await this.#write(due)
        this.#forget(due)
      } catch (error) {
        this.#log.warn(
          { code: 'hits_not_written', err: error, count: due.length },
          'Opens and clicks could not be written; they wait.',
        )
        return
      }
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

  #forget(written: readonly BufferedHit[]): void {
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
