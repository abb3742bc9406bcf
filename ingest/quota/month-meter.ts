/**
 * The month of one project as this process sees it: leases to charge from, and what happens when they run out.
 *
 *   quiet ──(an event waits)──▶ asked ──▶ leased ──(80 %, or 4 s old)──▶ leased, next one asked
 *     ▲                          │           │ idle for 1 s, month over: given back
 *     └──────────────────────────┼───────────┘
 *                                ▼
 *                            exhausted: refuses, and asks again at most once a second
 *
 * While the store is away it charges what it has, then an allowance that is recorded as charged to no lease. Charging
 * is one comparison and one addition; nothing here waits, and nothing reads a clock while it charges.
 */
import assert from 'node:assert'
import type { ProjectId } from '#schemas/ids.ts'
import { quotaAllowanceShare, quotaLeaseUnitsMax } from '#schemas/limits.ts'
import type { Asker } from './ask-queue.ts'
import type { LeaseGrant, LeaseRequest, LeaseReturn, QuotaLimits } from './quota-store.ts'
import { overQuota, quotaUnavailable, type Refusal } from './refusal.ts'
import { type BlockUse, sizeBlock } from './size-block.ts'

/** What a meter needs of the book. */
export interface MonthMeterHost {
  /** Name of the month that events are charged to now. */
  readonly periodName: string
  readonly isAway: boolean
  monotonicMs(): number
  nextRequestNo(): number
  ask(meter: MonthMeter): void
  giveBack(lease: LeaseReturn): void
  /** What a request waits for may be there now. */
  onAnswer(meter: MonthMeter): void
}

interface Lease {
  readonly leaseNo: number
  readonly units: number
  /** The next lease is asked for when so much of this one is charged. */
  readonly renewAt: number
  readonly grantedAtMs: number
  charged: number
}

const renewShare = 0.8
/** A lease is replaced after this, so that changed limits act within five seconds. */
const leaseMsMax = 4_000
/** Units that nobody charges are given back after this: others may need them. */
const idleMsMax = 1_000
/** How often an exhausted project is asked for again: a raised limit is felt this soon. */
const askAgainMs = 1_000
/** A project that sent nothing for so long is forgotten. */
const quietMs = 600_000
/** Allowance of a project whose limit was never read, because Postgres was away before its first event. */
const allowanceUnitsUnknown = 100

const noLease: Lease = { leaseNo: 0, units: 0, renewAt: -1, grantedAtMs: 0, charged: 0 }

export class MonthMeter implements Asker<LeaseRequest, LeaseGrant> {
  readonly projectId: ProjectId
  readonly #host: MonthMeterHost
  #current: Lease = noLease
  #spares: Lease[] = []
  #spareUnits = 0
  /** Asked for and not yet answered; it is repeated as it is until it is. */
  #request: LeaseRequest | undefined
  #isAsked = false
  #askedAtMs = Number.NEGATIVE_INFINITY
  #unitsNeeded = 0
  #before: BlockUse | undefined
  #isExhausted = false
  #wasRefused = false
  #usedAtMs: number
  #chargedSinceTick = false
  limits: QuotaLimits | undefined
  /** Events of this month that were let through while the store was away. */
  allowanceCharged = 0

  constructor(projectId: ProjectId, host: MonthMeterHost) {
    this.projectId = projectId
    this.#host = host
    this.#usedAtMs = host.monotonicMs()
  }

  get unitsLeft(): number {
    return this.#current.units - this.#current.charged + this.#spareUnits
  }

  /** The next `count` charges are decided without asking anybody. */
  isReady(count: number): boolean {
    return count <= this.unitsLeft || this.#isExhausted || this.#host.isAway
  }

  /** So many more events wait for units. */
  need(count: number): void {
    this.#unitsNeeded += count
    this.#ask()
  }

  /** Nobody waits any more; who still does says so again. */
  forgetNeeds(): void {
    this.#unitsNeeded = 0
  }

  /** The number of the lease that the event is charged to; 0 is the allowance. */
  charge(): number | Refusal {
    let lease = this.#current
    if (lease.charged === lease.units) {
      const next = this.#advance()
      if (next === undefined) return this.#chargeUnleased()
      lease = next
    }
    lease.charged += 1
    this.#chargedSinceTick = true
    if (lease.charged === lease.renewAt && this.#spareUnits === 0 && !this.#isExhausted) this.#ask()
    return lease.leaseNo
  }

  /** As `charge` would say, for one who must not charge. Clients that are told so send no events, so it asks like one. */
  refusal(): Refusal | undefined {
    if (!this.#isExhausted || this.unitsLeft > 0) return undefined
    this.#wasRefused = true
    return overQuota
  }

  tick(nowMs: number): void {
    if (this.#chargedSinceTick) {
      this.#chargedSinceTick = false
      this.#usedAtMs = nowMs
    }
    // What is in hand while the store is away is all there is.
    if (this.#usedAtMs + idleMsMax <= nowMs && !this.#host.isAway) this.giveBackAll()
    const isDue = this.#isOld(this.#current, nowMs) || (this.#isExhausted && this.#wasRefused)
    if (isDue && this.#askedAtMs + askAgainMs <= nowMs) this.#ask()
  }

  /** The month is over: what is left of it goes back, and the new one begins with nothing. */
  endPeriod(): void {
    this.giveBackAll()
    this.#isExhausted = false
    this.#wasRefused = false
    this.allowanceCharged = 0
  }

  giveBackAll(): void {
    this.#retireCurrent()
    for (const lease of this.#spares.splice(0)) this.#host.giveBack(lease)
    this.#spareUnits = 0
  }

  /** Nothing is lost when the meter is forgotten. */
  isIdle(nowMs: number): boolean {
    const isQuiet = this.#usedAtMs + quietMs <= nowMs && this.#current === noLease
    return isQuiet && !this.#isAsked && this.allowanceCharged === 0
  }

  request(): LeaseRequest {
    this.#request ??= {
      requestNo: this.#host.nextRequestNo(),
      projectId: this.projectId,
      period: this.#host.periodName,
      unitsNeeded: Math.min(this.#unitsNeeded, quotaLeaseUnitsMax),
      unitsWanted: sizeBlock(this.#use()),
    }
    return this.#request
  }

  receive(grant: LeaseGrant): void {
    const request = this.#request
    assert(request !== undefined)
    this.#request = undefined
    this.#isAsked = false
    this.#wasRefused = false
    this.limits = grant.limits
    const nowMs = this.#host.monotonicMs()
    const isOfThisPeriod = request.period === this.#host.periodName
    if (isOfThisPeriod) {
      this.#isExhausted = grant.units < Math.max(1, request.unitsNeeded)
      // Also when nothing new was granted: a limit that was lowered holds for what is in hand too.
      if (this.#isOld(this.#current, nowMs)) this.#retireCurrent()
    }
    if (grant.units > 0) this.#keep(grant, isOfThisPeriod, nowMs)
    this.#host.onAnswer(this)
  }

  #keep({ leaseNo, units }: LeaseGrant, isOfThisPeriod: boolean, grantedAtMs: number): void {
    if (!isOfThisPeriod) {
      this.#host.giveBack({ leaseNo, charged: 0 })
      return
    }
    const renewAt = Math.max(1, Math.ceil(units * renewShare))
    this.#spares.push({ leaseNo, units, renewAt, grantedAtMs, charged: 0 })
    this.#spareUnits += units
    this.#usedAtMs = grantedAtMs
  }

  #ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#askedAtMs = this.#host.monotonicMs()
    this.#host.ask(this)
  }

  /** The lease behind the current one becomes the current one. */
  #advance(): Lease | undefined {
    this.#retireCurrent()
    const next = this.#spares.shift()
    if (next === undefined) return undefined
    this.#spareUnits -= next.units
    this.#current = next
    return next
  }

  #retireCurrent(): void {
    if (this.#current === noLease) return
    this.#before = this.#use()
    this.#host.giveBack(this.#current)
    this.#current = noLease
  }

  #chargeUnleased(): number | Refusal {
    if (this.#isExhausted) {
      this.#wasRefused = true
      return overQuota
    }
    // So that the store's return is noticed.
    this.#ask()
    if (this.#allowance() <= this.allowanceCharged) return quotaUnavailable
    this.allowanceCharged += 1
    return 0
  }

  #allowance(): number {
    if (this.limits === undefined) return allowanceUnitsUnknown
    const { monthlyEvents } = this.limits
    if (monthlyEvents === undefined) return Number.POSITIVE_INFINITY
    return Math.ceil(monthlyEvents * quotaAllowanceShare)
  }

  /** How fast the current lease is used, else the one before. */
  #use(): BlockUse | undefined {
    const { units, charged, grantedAtMs } = this.#current
    if (units === 0) return this.#before
    return { units, charged, elapsedMs: this.#host.monotonicMs() - grantedAtMs }
  }

  #isOld(lease: Lease, nowMs: number): boolean {
    return lease !== noLease && lease.grantedAtMs + leaseMsMax <= nowMs
  }
}
