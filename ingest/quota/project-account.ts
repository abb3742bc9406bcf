/**
 * All limits of one project in this process (month, spike limit, limits of keys), and the requests
 * that wait for units.
 */
import type { DsnKeyNo } from '#schemas/ids.ts'
import { MinuteMeter, type MinuteMeterHost } from './minute-meter.ts'
import type { MonthMeter } from './month-meter.ts'
import { overKeyLimit, overSpikeLimit, type Refusal } from './refusal.ts'

/** A request that waits for units. */
export interface QuotaWaiter {
  readonly deadlineMs: number
  wake(): void
}

export class ProjectAccount {
  readonly month: MonthMeter
  readonly #host: MinuteMeterHost
  #spike: MinuteMeter | undefined
  readonly #keys = new Map<DsnKeyNo, MinuteMeter>()
  #waiters: QuotaWaiter[] = []

  constructor(month: MonthMeter, host: MinuteMeterHost) {
    this.month = month
    this.#host = host
  }

  get waiterCount(): number {
    return this.#waiters.length
  }

  isReady(keyNo: DsnKeyNo, count: number, nowMs: number): boolean {
    if (!this.month.isReady(count)) return false
    if (this.#spike !== undefined && !this.#spike.isReady(count, nowMs)) return false
    return this.#keys.get(keyNo)?.isReady(count, nowMs) ?? true
  }

  wait(keyNo: DsnKeyNo, count: number, nowMs: number, waiter: QuotaWaiter): void {
    this.#waiters.push(waiter)
    const key = this.#keys.get(keyNo)
    if (!this.month.isReady(count)) this.month.need(count)
    if (this.#spike !== undefined && !this.#spike.isReady(count, nowMs)) this.#spike.need(count)
    if (key !== undefined && !key.isReady(count, nowMs)) key.need(count)
  }

  /** Wakes all waiters, oldest first. A waiter that still lacks units waits again. */
  wakeAll(): void {
    if (this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = []
    this.month.resetNeeds()
    for (const meter of this.#minutes()) meter.resetNeeds()
    for (const waiter of waiters) waiter.wake()
  }

  charge(keyNo: DsnKeyNo, nowMs: number): number | Refusal {
    const key = this.#keys.get(keyNo)
    if (this.#spike === undefined && key === undefined) return this.month.charge()
    // The month is charged last, so that an event refused by another limit costs nothing.
    if (key !== undefined && !key.hasUnit(nowMs)) return overKeyLimit
    if (this.#spike !== undefined && !this.#spike.hasUnit(nowMs)) return overSpikeLimit
    const charged = this.month.charge()
    if (typeof charged === 'number') {
      key?.spend()
      this.#spike?.spend()
    }
    return charged
  }

  /**
   * Why the next event would be refused. The check counts as a refusal, so the limits are asked for
   * again.
   */
  refusalOf(keyNo: DsnKeyNo, nowMs: number): Refusal | undefined {
    if (this.#keys.get(keyNo)?.hasUnit(nowMs) === false) return overKeyLimit
    if (this.#spike?.hasUnit(nowMs) === false) return overSpikeLimit
    return this.month.refusal()
  }

  /** Applies the limits that came with the month's latest answer. */
  followLimits(): void {
    const { limits } = this.month
    if (limits === undefined) return
    this.#spike = this.#meterOf(
      'project',
      this.month.projectId,
      limits.eventsPerMinute,
      this.#spike,
    )
    for (const keyNo of this.#keys.keys()) {
      if (!limits.keyEventsPerMinute.has(keyNo)) this.#keys.delete(keyNo)
    }
    for (const [keyNo, limit] of limits.keyEventsPerMinute) {
      const meter = this.#meterOf('key', keyNo, limit, this.#keys.get(keyNo))
      if (meter !== undefined) this.#keys.set(keyNo, meter)
    }
  }

  tick(nowMs: number): void {
    this.month.tick(nowMs)
    for (const meter of this.#minutes()) meter.tick(nowMs)
    if (this.#waiters.some((waiter) => waiter.deadlineMs <= nowMs)) this.wakeAll()
  }

  isIdle(nowMs: number): boolean {
    return this.#waiters.length === 0 && this.month.isIdle(nowMs)
  }

  #meterOf(
    scope: 'project' | 'key',
    scopeId: number,
    limit: number | undefined,
    before: MinuteMeter | undefined,
  ): MinuteMeter | undefined {
    if (limit === undefined) return undefined
    if (before === undefined) return new MinuteMeter({ scope, scopeId, limit }, this.#host)
    before.followLimit(limit)
    return before
  }

  *#minutes(): Generator<MinuteMeter> {
    if (this.#spike !== undefined) yield this.#spike
    yield* this.#keys.values()
  }
}
