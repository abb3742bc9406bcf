/**
 * The quota of all projects in this process, as intake uses it. Charging is synchronous and in
 * memory. Requests to the store run in the background; an event waits only when no units are in
 * memory and it is not known whether any remain. The caller provides the time and calls `tick`.
 */
import type { Clock } from '#platform/clock.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { AskQueue, answerMsMax } from './ask-queue.ts'
import type { MinuteMeterHost } from './minute-meter.ts'
import { MonthMeter, type MonthMeterHost } from './month-meter.ts'
import { ProjectAccount, type QuotaWaiter } from './project-account.ts'
import {
  minuteAt,
  minuteMs,
  type QuotaPeriod,
  quotaPeriodAt,
  retryAfterSeconds,
} from './quota-period.ts'
import type {
  LeaseGrant,
  LeaseRequest,
  LeaseReturn,
  MinuteGrant,
  MinuteRequest,
  QuotaStore,
} from './quota-store.ts'
import { overQuota, quotaUnavailable, type Refusal } from './refusal.ts'

export interface QuotaBookOptions {
  readonly clock: Clock
  readonly store: QuotaStore
  /** Instance id of the process. Its leases are settled together with its frames. */
  readonly instanceId: string
  /**
   * Whether `limitChanged` and `limitsMayHaveChanged` are called for every change at present. False
   * when omitted.
   */
  hearsChanges?(): boolean
  /** Called with the error when the store becomes unavailable, and when it is available again. */
  onTurn?(isAway: boolean, error: unknown): void
}

/** The project and key that events are charged to. */
export interface QuotaPayer {
  readonly projectId: ProjectId
  readonly keyNo: DsnKeyNo
}

export type WaitEnd = 'ready' | 'late' | 'full'

/** Waiting requests, over all projects. */
const waitersMax = 10_000
const accountsMax = 50_000
const returnsPerBatchMax = 1_000
const touchEveryMs = 5_000
const deleteOldEveryMs = 600_000
/** `Retry-After` for events that are refused because the store is unavailable. */
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
  #deletedOldAtMs = Number.NEGATIVE_INFINITY
  /** Events that were charged to the allowance. */
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

  /** Whether this number of events can be charged or refused now. */
  isReady(payer: QuotaPayer, count: number, nowMs: number): boolean {
    this.#follow(nowMs)
    return this.#accountOf(payer.projectId).isReady(payer.keyNo, count, nowMs)
  }

  /**
   * Runs `work` when this number of events can be charged: at once, or in the turn that brings the
   * units, before another request can take them. `late`: the store did not answer in time, and
   * events are charged to the allowance. `full`: too many requests wait, and nothing may be
   * charged.
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

  /**
   * The number of the lease that one event is charged to (0 is the allowance), or why it is
   * refused.
   */
  charge(payer: QuotaPayer, nowMs: number): number | Refusal {
    this.#follow(nowMs)
    const charged = this.#accountOf(payer.projectId).charge(payer.keyNo, nowMs)
    if (charged === 0) this.eventsUnleased += 1
    return charged
  }

  /** Why the next event would be refused, as far as this process knows. Charges nothing. */
  refusalOf(payer: QuotaPayer, nowMs: number): Refusal | undefined {
    this.#follow(nowMs)
    return this.#accounts.get(payer.projectId)?.refusalOf(payer.keyNo, nowMs)
  }

  /** A limit of the project was changed, or it came close to its limit in some process. */
  limitChanged(projectId: ProjectId): void {
    this.#accounts.get(projectId)?.month.limitChanged()
  }

  /** Changes of any project may have been missed. */
  limitsMayHaveChanged(): void {
    for (const account of this.#accounts.values()) account.month.limitChanged()
  }

  /** Seconds for the `Retry-After` header of a refusal. */
  retryAfterSeconds(refusal: Refusal, nowMs: number): number {
    if (refusal === quotaUnavailable) return unavailableRetrySeconds
    const endMs = refusal === overQuota ? this.#period.endMs : minuteAt(nowMs) + minuteMs
    return retryAfterSeconds(nowMs, endMs)
  }

  /** Must be called several times a second. */
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
    this.#deleteOld(nowMs)
  }

  /**
   * Returns all leases; no event may be charged afterwards. Units that cannot be returned are
   * settled later.
   */
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
    let account = this.#accounts.get(projectId)
    if (account === undefined) {
      const month = new MonthMeter(projectId, this.#monthHost)
      account = new ProjectAccount(month, this.#hostOfMinutes(projectId))
      this.#accounts.set(projectId, account)
    }
    return account
  }

  #hostOfMonths(): MonthMeterHost {
    const { clock } = this.#options
    const periodName = () => this.#period.name
    const isAway = () => this.#months.isAway
    const hearsChanges = () => this.#options.hearsChanges?.() ?? false
    return {
      get periodName() {
        return periodName()
      },
      get isAway() {
        return isAway()
      },
      get hearsChanges() {
        return hearsChanges()
      },
      monotonicMs: () => clock.monotonicMs(),
      nextRequestNo: () => ++this.#lastRequestNo,
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

  /** Switches to the current month: a lease of another month cannot be charged. */
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
        // mutant: keep-failed-returns
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

  /** Deletes old rows. Any process may run it; after a failure the next run deletes them. */
  #deleteOld(nowMs: number): void {
    if (nowMs < this.#deletedOldAtMs + deleteOldEveryMs) return
    this.#deletedOldAtMs = nowMs
    const beforeMs = this.#options.clock.nowMs() - deleteOldEveryMs
    this.#options.store.deleteOld(beforeMs).catch(() => undefined)
  }
}
