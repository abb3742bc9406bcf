/**
 * Moves first attempts of campaigns from their blocks to the SMTP connections:
 *
 *   waiting ──claim: a block──▶ claimed ──mark: durable, a few at once──▶ marked ──take──▶ sent
 *
 * Marks run ahead of the connections, so that none waits for Postgres. A mark also stores which
 * emails are still open: marked, and not known to be accepted. Only these become uncertain when the
 * process is lost, and there are at most `openMax`: two for each connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { SmtpSession } from '#platform/smtp/smtp-connection.ts'
import type { CampaignRun } from '../campaign-runs.ts'
import type { WireJob, WireOutcome } from '../smtp/smtp-pool.ts'
import type { BlockDelivery, ClaimedBlock } from './delivery-block-store.ts'

/** A block that this process holds. */
export interface HeldBlock {
  readonly id: string
  readonly run: CampaignRun
  /** Claimed and not marked, in the order of marks. */
  unmarked: readonly BlockDelivery[]
  /** Contacts whose email is marked, or about to be, and not known to be accepted. */
  readonly open: Set<string>
  /** Marked emails whose result is not stored. */
  notStored: number
  /** When it was claimed or last marked, monotonic. */
  usedAtMs: number
}

export interface MarkedEmail {
  readonly block: HeldBlock
  readonly delivery: BlockDelivery
  readonly markedAt: Date
}

export interface BlockLedger {
  /** Undefined: nothing waits now. */
  readonly claim: () => Promise<{ run: CampaignRun; block: ClaimedBlock } | undefined>
  /**
   * How many of `count` emails of the campaign may leave now; if none, `waitMs` until the next
   * question, or `gives` if the block is to be released.
   */
  readonly grant: (
    run: CampaignRun,
    count: number,
  ) => Promise<{ readonly count: number; readonly waitMs: number; readonly gives: boolean }>
  /** Marks all of the deliveries, or none. */
  readonly mark: (
    block: HeldBlock,
    deliveries: readonly BlockDelivery[],
    open: ReadonlyMap<string, readonly string[]>,
  ) => Promise<boolean>
  /** Which of the contacts can still be marked; undefined: the block is not to be sent now. */
  readonly skip: (
    block: HeldBlock,
    contactIds: readonly string[],
  ) => Promise<ReadonlySet<string> | undefined>
  /** Resolves to the last contact that is stored as marked. */
  readonly release: (block: HeldBlock) => Promise<string | undefined>
  readonly finish: (blockIds: readonly string[]) => Promise<void>
  readonly compose: (email: MarkedEmail) => ReturnType<WireJob['compose']>
  /** `taken`: the email is stored as sent. The lane is told by `stored`. */
  readonly settle: (
    email: MarkedEmail,
    outcome: WireOutcome,
    session: SmtpSession | undefined,
  ) => void
  /** Whether so many results wait to be stored that no email should be taken. */
  readonly isFull: () => boolean
}

export interface BlockLaneOptions {
  /** Emails that are claimed ahead. */
  readonly claimsMax: number
  /** Emails marked at once, unless no email is ready. */
  readonly marksMin: number
  /** Emails that are uncertain after a crash, at most. */
  readonly openMax: number
  /** After this time a claim is released and a mark is no longer used. */
  readonly freshMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly hasOpenConnection: () => boolean
  readonly wakePool: () => void
}

const failedMs = 1_000

export class BlockLane {
  readonly #ledger: BlockLedger
  readonly #options: BlockLaneOptions
  /** Blocks with unmarked deliveries; the first one is marked. */
  #blocks: HeldBlock[] = []
  /** Blocks whose `open` differs from what is stored. */
  readonly #changed = new Set<HeldBlock>()
  #ready: MarkedEmail[] = []
  #claiming: Promise<void> | undefined
  #marking: Promise<void> | undefined
  readonly #ending = new Set<Promise<void>>()
  #openCount = 0
  /** Nothing could be claimed when last tried, and `poke` was not called since. */
  #isDry = false
  #notBeforeMs = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(ledger: BlockLedger, options: BlockLaneOptions) {
    this.#ledger = ledger
    this.#options = options
  }

  hasWork(): boolean {
    return this.#ready.length > 0 || (this.#blocks.length > 0 && !this.#isWaiting())
  }

  /** Tells that something may be claimed. */
  poke(): void {
    this.#isDry = false
    this.#dropOld()
    this.#advance()
  }

  take(): WireJob | undefined {
    if (this.#isClosed) return undefined
    const email = this.#ready.shift()
    this.#advance()
    if (email === undefined) return undefined
    const { clock, freshMs } = this.#options
    const atMs = email.block.usedAtMs
    return {
      isFresh: () => clock.monotonicMs() - atMs < freshMs,
      compose: () => this.#ledger.compose(email),
      settle: (outcome, session) => this.#settle(email, outcome, session),
    }
  }

  /** The result of an email is stored. */
  stored({ block, delivery }: MarkedEmail): void {
    this.#closeEmail(block, delivery.contactId)
    block.notStored -= 1
    this.#finishIfDone(block)
    this.#advance()
  }

  /** Releases what was not taken. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([this.#claiming, this.#marking])
    for (const email of this.#ready.splice(0)) {
      this.#ledger.settle(email, { kind: 'untried' }, undefined)
    }
    for (const block of this.#blocks.splice(0)) this.#release(block)
    await Promise.all(this.#ending)
  }

  /** Resolves when the blocks whose results are stored have been deleted. */
  async drain(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }

  #settle(email: MarkedEmail, outcome: WireOutcome, session: SmtpSession | undefined): void {
    // Accepted: it is sent, whether or not this process stores it (recover_delivery_blocks).
    if (outcome.kind === 'taken') this.#closeEmail(email.block, email.delivery.contactId)
    this.#ledger.settle(email, outcome, session)
  }

  #closeEmail(block: HeldBlock, contactId: string): void {
    if (!block.open.delete(contactId)) return
    this.#openCount -= 1
    this.#changed.add(block)
  }

  #isWaiting(): boolean {
    return this.#options.clock.monotonicMs() < this.#notBeforeMs
  }

  #advance(): void {
    if (this.#isClosed || this.#isWaiting()) return
    this.#claimMore()
    this.#markMore()
  }

  #claimMore(): void {
    if (this.#claiming !== undefined || this.#isDry || this.#ledger.isFull()) return
    const claimed = this.#blocks.reduce((sum, { unmarked }) => sum + unmarked.length, 0)
    if (claimed > this.#options.claimsMax / 2) return
    this.#claiming = this.#claim()
      .catch((error: unknown) => this.#failed('Claiming', error))
      .finally(() => {
        this.#claiming = undefined
        this.#advance()
      })
  }

  async #claim(): Promise<void> {
    const claimed = await this.#ledger.claim()
    if (claimed === undefined) {
      this.#isDry = true
      return
    }
    const { run, block } = claimed
    this.#blocks.push({
      id: block.id,
      run,
      unmarked: block.deliveries,
      open: new Set(),
      notStored: 0,
      usedAtMs: this.#options.clock.monotonicMs(),
    })
    this.#options.wakePool()
  }

  #markMore(): void {
    const block = this.#blocks[0]
    if (block === undefined || this.#marking !== undefined || this.#ledger.isFull()) return
    const { openMax, marksMin, hasOpenConnection } = this.#options
    const room = openMax - this.#openCount
    const isSmall = room < marksMin && room < block.unmarked.length && this.#ready.length > 0
    if (room < 1 || isSmall || !hasOpenConnection()) return
    this.#marking = this.#mark(block, room)
      .catch((error: unknown) => this.#failed('Marking', error))
      .finally(() => {
        this.#marking = undefined
        this.#advance()
      })
  }

  async #mark(block: HeldBlock, room: number): Promise<void> {
    const wanted = Math.min(room, block.unmarked.length)
    const { count, waitMs, gives } = await this.#ledger.grant(block.run, wanted)
    if (gives) this.#drop(block)
    else if (count === 0) this.#waitFor(waitMs)
    else await this.#markSome(block, block.unmarked.slice(0, count))
  }

  async #markSome(block: HeldBlock, group: readonly BlockDelivery[]): Promise<void> {
    for (const { contactId } of group) block.open.add(contactId)
    this.#openCount += group.length
    this.#changed.add(block)
    const changed = [...this.#changed]
    const open = new Map(changed.map((one) => [one.id, [...one.open]]))
    this.#changed.clear()
    let isMarked: boolean
    try {
      isMarked = await this.#ledger.mark(block, group, open)
    } catch (error) {
      for (const one of changed) this.#changed.add(one)
      this.#resolveLater(block, group)
      throw error
    }
    if (isMarked) this.#markDone(block, group)
    else await this.#skipSome(block, group)
  }

  #markDone(block: HeldBlock, group: readonly BlockDelivery[]): void {
    const { clock, wakePool } = this.#options
    block.unmarked = block.unmarked.slice(group.length)
    block.notStored += group.length
    block.usedAtMs = clock.monotonicMs()
    if (block.unmarked.length === 0) this.#blocks.shift()
    const markedAt = new Date(clock.nowMs())
    for (const delivery of group) this.#ready.push({ block, delivery, markedAt })
    wakePool()
  }

  /** None was marked: because of some of the contacts, or of the campaign. */
  async #skipSome(block: HeldBlock, group: readonly BlockDelivery[]): Promise<void> {
    for (const { contactId } of group) this.#closeEmail(block, contactId)
    const ids = group.map(({ contactId }) => contactId)
    const remaining = await this.#ledger.skip(block, ids)
    if (remaining === undefined) {
      this.#drop(block)
      return
    }
    const before = block.unmarked.length
    block.unmarked = [
      ...group.filter(({ contactId }) => remaining.has(contactId)),
      ...block.unmarked.slice(group.length),
    ]
    block.run.inHand -= before - block.unmarked.length
    if (block.unmarked.length > 0) return
    this.#blocks.shift()
    this.#finishIfDone(block)
  }

  /** Whether the mark was stored is not known. */
  #resolveLater(block: HeldBlock, group: readonly BlockDelivery[]): void {
    this.#blocks = this.#blocks.filter((one) => one !== block)
    block.run.inHand -= block.unmarked.length
    block.unmarked = []
    const last = group.at(-1)?.contactId ?? ''
    this.#follow(async () => {
      const markedUpTo = await this.#untilStored(() => this.#ledger.release(block))
      if (markedUpTo === undefined || markedUpTo < last) {
        for (const { contactId } of group) this.#closeEmail(block, contactId)
        this.#finishIfDone(block)
        return
      }
      block.notStored += group.length
      block.run.inHand += group.length
      const markedAt = new Date(this.#options.clock.nowMs())
      for (const delivery of group) {
        this.#ledger.settle({ block, delivery, markedAt }, { kind: 'untried' }, undefined)
      }
    })
  }

  #dropOld(): void {
    const { clock, freshMs } = this.#options
    const limit = clock.monotonicMs() - freshMs
    if (this.#marking !== undefined) return
    for (const block of this.#blocks) if (block.usedAtMs < limit) this.#drop(block)
  }

  #drop(block: HeldBlock): void {
    this.#blocks = this.#blocks.filter((one) => one !== block)
    this.#release(block)
  }

  #release(block: HeldBlock): void {
    block.run.inHand -= block.unmarked.length
    block.unmarked = []
    this.#follow(async () => {
      await this.#untilStored(() => this.#ledger.release(block))
      this.#finishIfDone(block)
    })
  }

  #finishIfDone(block: HeldBlock): void {
    if (block.unmarked.length > 0 || block.notStored > 0 || block.open.size > 0) return
    this.#changed.delete(block)
    // If it fails, recovery deletes the block when its lease ends.
    this.#follow(() => this.#ledger.finish([block.id]))
  }

  /** While Postgres is unavailable others recover the block, when its lease ends. */
  async #untilStored<T>(work: () => Promise<T>): Promise<T> {
    while (true) {
      try {
        return await work()
      } catch (error) {
        if (this.#isClosed) throw error
        this.#failed('Releasing', error)
        await sleep(failedMs)
      }
    }
  }

  #follow(work: () => Promise<void>): void {
    const ending: Promise<void> = work()
      .catch((error: unknown) => this.#failed('Releasing', error))
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  #failed(what: string, error: unknown): void {
    this.#options.log.warn(
      { code: 'lane_failed', lane: 'campaigns', err: error },
      `${what} emails failed; retrying in ${failedMs / 1000} s.`,
    )
    this.#waitFor(failedMs)
  }

  #waitFor(ms: number): void {
    this.#notBeforeMs = this.#options.clock.monotonicMs() + ms
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => this.poke(), ms + 1)
  }
}
