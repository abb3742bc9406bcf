/**
 * What this process may still take, per project: the quota as intake sees it. Charging is synchronous and in memory;
 * the store is asked in the background, and a request waits only where nothing is in hand and nothing is decided.
 * Time and ticks come from outside.
 */
import type { Clock } from '#platform/clock.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { AskQueue, answerMsMax } from './ask-queue.ts'
import type { MinuteMeterHost } from './minute-meter.ts'
import { MonthMeter, type MonthMeterHost } from './month-meter.ts'
import { ProjectAccount, type QuotaWaiter } from './project-account.ts'
import { minuteAt, minuteMs, type QuotaPeriod, quotaPeriodAt } from './quota-period.ts'
import type {
  LeaseGrant,
  LeaseRequest,
  LeaseReturn,
  MinuteGrant,
  MinuteRequest,
  QuotaStore,
} from './quota-store.ts'
import { overQuota, quotaUnavailable, type Refusal } from './refusal.ts'
import { retryAfterSeconds } from './retry-after.ts'

export interface QuotaBookOptions {
  readonly clock: Clock
  readonly store: QuotaStore
  /** As in the frames of the process: its leases are settled together with them. */
  readonly instanceId: string
  /** The store has gone away, with the error, or come back. */
  onTurn?(isAway: boolean, error: unknown): void
}

/** Who an event is charged to. */
export interface QuotaPayer {
  readonly projectId: ProjectId
  readonly keyNo: DsnKeyNo
}

export type WaitEnd = 'ready' | 'late' | 'full'

/** Requests that wait for units, over all projects. */
const waitersMax = 10_000
const accountsMax = 50_000
const returnsPerBatchMax = 1_000
const touchEveryMs = 5_000
const forgetEveryMs = 600_000
/** A client that is refused because the store is away may try again soon. */
const unavailableRetrySeconds = 5

export class QuotaBook {
  readonly #options: QuotaBookOptions
  readonly #accounts = new Map<ProjectId, ProjectAccount>()
  readonly #months: AskQueue<LeaseRequest, LeaseGrant>
  readonly #minutes: AskQueue<MinuteRequest, MinuteGrant>
  readonly #monthHost: MonthMeterHost
  #period: QuotaPeriod
  #lastRequestNo = 0
  #waiterCount = 0
  #returns: LeaseReturn[] = []
  #returning: Promise<void> | undefined
  #returnsDueAtMs = Number.NEGATIVE_INFINITY
  #touchedAtMs = Number.NEGATIVE_INFINITY
  #forgottenAtMs = Number.NEGATIVE_INFINITY
  /** Events that were let through unleased. */
  eventsUnleased = 0

  constructor(options: QuotaBookOptions) {
    const { clock, store, instanceId } = options
    this.#options = options
    this.#period = quotaPeriodAt(clock.nowMs())
    this.#months = new AskQueue<LeaseRequest, LeaseGrant>({
      clock,
      send: (requests) => store.grant(instanceId, requests),
      onTurn: (isAway, error) => this.#onTurn(isAway, error),
    })
    this.#minutes = new AskQueue<MinuteRequest, MinuteGrant>({
      clock,
      send: (requests) => store.grantMinutes(requests),
      onTurn: () => this.#wakeAll(),
    })
    this.#monthHost = this.#hostOfMonths()
  }

  get isAway(): boolean {
    return this.#months.isAway
  }

  get accountCount(): number {
    return this.#accounts.size
  }

  get waiterCount(): number {
    return this.#waiterCount
  }

  /** Whether so many events can be charged now, or refused, without waiting. */
  isReady(payer: QuotaPayer, count: number, nowMs: number): boolean {
    this.#follow(nowMs)
    return this.#accountOf(payer.projectId).isReady(payer.keyNo, count, nowMs)
  }

  /**
   * Runs `work` as soon as so many events can be charged: at once, or in the turn that brings the units, so that nobody takes
   * them in between. `late`: the store did not answer in time, and what is charged now comes from the
   * allowance. `full`: too many wait already, and nothing may be charged.
   */
  whenReady<T>(payer: QuotaPayer, count: number, work: (end: WaitEnd) => T): Promise<T> {
    const deadlineMs = this.#options.clock.monotonicMs() + answerMsMax
    return new Promise((resolve, reject) => {
      const tryNow = () => {
        const end = this.#waitEnd(payer, count, deadlineMs)
        if (end === undefined) {
          this.#wait(payer, count, { deadlineMs, wake: tryNow })
          return
        }
        try {
          resolve(work(end))
        } catch (error) {
          reject(error)
        }
      }
      tryNow()
    })
  }

  /** The number of the lease that one event is charged to (0: none, by allowance), or why it is refused. */
  charge(payer: QuotaPayer, nowMs: number): number | Refusal {
    this.#follow(nowMs)
    const charged = this.#accountOf(payer.projectId).charge(payer.keyNo, nowMs)
    if (charged === 0) this.eventsUnleased += 1
    return charged
  }

  /** Why the next event of this payer would be refused, as far as it is known here. Asks nobody, and charges nothing. */
  refusalOf(payer: QuotaPayer, nowMs: number): Refusal | undefined {
    this.#follow(nowMs)
    return this.#accounts.get(payer.projectId)?.refusalOf(payer.keyNo, nowMs)
  }

  /** How long a client that was refused is asked to wait. */
  retryAfterSeconds(refusal: Refusal, nowMs: number): number {
    if (refusal === quotaUnavailable) return unavailableRetrySeconds
    const endMs = refusal === overQuota ? this.#period.endMs : minuteAt(nowMs) + minuteMs
    return retryAfterSeconds(nowMs, endMs)
  }

  /** To be called several times a second. */
  tick(): void {
    const { clock } = this.#options
    const nowMs = clock.monotonicMs()
    this.#follow(clock.nowMs())
    this.#months.tick()
    this.#minutes.tick()
    for (const [projectId, account] of this.#accounts) {
      account.tick(nowMs)
      if (account.isIdle(nowMs)) this.#accounts.delete(projectId)
    }
    if (this.#returnsDueAtMs <= nowMs) void this.#giveBack()
    this.#touch(nowMs)
    this.#forget(nowMs)
  }

  /** Gives everything back. Nothing may be charged afterwards; what cannot be given back now is settled with the boot. */
  async drain(): Promise<void> {
    await Promise.all([this.#months.close(), this.#minutes.close()])
    for (const account of this.#accounts.values()) account.month.giveBackAll()
    await this.#returning
    while (this.#returns.length > 0) {
      const countBefore = this.#returns.length
      await this.#giveBack()
      if (this.#returns.length === countBefore) return
    }
  }

  #waitEnd(payer: QuotaPayer, count: number, deadlineMs: number): WaitEnd | undefined {
    const { clock } = this.#options
    if (this.isReady(payer, count, clock.nowMs())) return 'ready'
    if (deadlineMs <= clock.monotonicMs()) return 'late'
    const isFull = waitersMax <= this.#waiterCount || accountsMax < this.#accounts.size
    return isFull ? 'full' : undefined
  }

  #wait(payer: QuotaPayer, count: number, { deadlineMs, wake }: QuotaWaiter): void {
    this.#waiterCount += 1
    const waiter = {
      deadlineMs,
      wake: () => {
        this.#waiterCount -= 1
        wake()
      },
    }
    const nowMs = this.#options.clock.nowMs()
    this.#accountOf(payer.projectId).wait(payer.keyNo, count, nowMs, waiter)
  }

  #accountOf(projectId: ProjectId): ProjectAccount {
    return this.#accounts.get(projectId) ?? this.#open(projectId)
  }

  #open(projectId: ProjectId): ProjectAccount {
    const account = new ProjectAccount(
      new MonthMeter(projectId, this.#monthHost),
      this.#hostOfMinutes(projectId),
    )
    this.#accounts.set(projectId, account)
    return account
  }

  #hostOfMonths(): MonthMeterHost {
    const { clock } = this.#options
    const periodName = () => this.#period.name
    const isAway = () => this.#months.isAway
    return {
      get periodName() {
        return periodName()
      },
      get isAway() {
        return isAway()
      },
      monotonicMs: () => clock.monotonicMs(),
      nextRequestNo: () => {
        this.#lastRequestNo += 1
        return this.#lastRequestNo
      },
      ask: (meter) => this.#months.add(meter),
      giveBack: ({ leaseNo, charged }) => this.#returns.push({ leaseNo, charged }),
      onAnswer: (meter) => {
        const account = this.#accounts.get(meter.projectId)
        account?.followLimits()
        account?.wakeAll()
      },
    }
  }

  #hostOfMinutes(projectId: ProjectId): MinuteMeterHost {
    const { clock } = this.#options
    const isAway = () => this.#minutes.isAway
    return {
      get isAway() {
        return isAway()
      },
      monotonicMs: () => clock.monotonicMs(),
      ask: (meter) => this.#minutes.add(meter),
      onAnswer: () => this.#accounts.get(projectId)?.wakeAll(),
    }
  }

  #onTurn(isAway: boolean, error: unknown): void {
    this.#options.onTurn?.(isAway, error)
    this.#wakeAll()
  }

  #wakeAll(): void {
    if (this.#waiterCount === 0) return
    for (const account of this.#accounts.values()) account.wakeAll()
  }

  /** Charges to the month that it is: a lease of another one is worth nothing. */
  #follow(nowMs: number): void {
    if (this.#period.startMs <= nowMs && nowMs < this.#period.endMs) return
    this.#period = quotaPeriodAt(nowMs)
    for (const account of this.#accounts.values()) account.month.endPeriod()
    this.#wakeAll()
  }

  #giveBack(): Promise<void> {
    if (this.#returning !== undefined) return this.#returning
    if (this.#returns.length === 0) return Promise.resolve()
    const { store, instanceId, clock } = this.#options
    const returns = this.#returns.splice(0, returnsPerBatchMax)
    this.#returning = store.giveBack(instanceId, returns).then(
      () => {
        this.#returning = undefined
      },
      () => {
        this.#returning = undefined
        this.#returns.push(...returns)
        this.#returnsDueAtMs = clock.monotonicMs() + 1_000
      },
    )
    return this.#returning
  }

  #touch(nowMs: number): void {
    if (nowMs < this.#touchedAtMs + touchEveryMs) return
    this.#touchedAtMs = nowMs
    this.#options.store.touchInstance(this.#options.instanceId).catch(() => undefined)
  }

  /** Any process may do it; what one misses the next one takes with it. */
  #forget(nowMs: number): void {
    if (nowMs < this.#forgottenAtMs + forgetEveryMs) return
    this.#forgottenAtMs = nowMs
    const beforeMs = this.#options.clock.nowMs() - forgetEveryMs
    this.#options.store.forget(beforeMs).catch(() => undefined)
  }
}
