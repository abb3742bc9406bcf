/**
 * The monthly quota of one project in this process: the leases that events are charged to, and the
 * state after they run out.
 *
 *   quiet ──(an event waits)──▶ requested ──▶ leased ──(80 %, or 4 s old)──▶ leased, next requested
 *     ▲                             │            │ idle for 1 s, or end of month: returned
 *     └─────────────────────────────┼────────────┘
 *                                   ▼
 *                               exhausted: refuses, and requests again at most once a second
 *
 * A project that is far from its limit keeps its leases longer (60 s, and 10 s idle), as long as
 * this process is notified of changed limits and of projects that come close to theirs. From such a
 * notification to the next grant the project counts as close to its limit.
 *
 * While the store is unavailable, events are charged to the leases in memory, then to an allowance
 * that belongs to no lease. A charge is one comparison and one addition; it neither waits nor reads
 * a clock.
 */
import assert from 'node:assert'
import type { ProjectId } from '#schemas/ids.ts'
import { quotaAllowanceShare, quotaLeaseUnitsMax } from '#schemas/limits.ts'
import type { Asker } from './ask-queue.ts'
import type { LeaseGrant, LeaseRequest, LeaseReturn, QuotaLimits } from './quota-store.ts'
import { overQuota, quotaUnavailable, type Refusal } from './refusal.ts'
import { type BlockUse, sizeBlock } from './size-block.ts'

/** The parts of the quota book that a meter uses. */
export interface MonthMeterHost {
  /** Name of the month that events are charged to. */
  readonly periodName: string
  readonly isAway: boolean
  /** Whether `limitChanged` is called for every change. */
  readonly hearsChanges: boolean
  monotonicMs(): number
  nextRequestNo(): number
  ask(meter: MonthMeter): void
  giveBack(lease: LeaseReturn): void
  /** Called when an answer has arrived, so that waiting requests try again. */
  onAnswer(meter: MonthMeter): void
}

interface Lease {
  readonly leaseNo: number
  readonly units: number
  /** The next lease is requested when this number of units is charged. */
  readonly renewAt: number
  readonly grantedAtMs: number
  charged: number
}

const renewShare = 0.8
/** Leases are replaced after this time, so that changed limits take effect within five seconds. */
const leaseMsMax = 4_000
/** Units that are not charged for this long are returned for other processes. */
const idleMsMax = 1_000
/** The same for projects that are far from their limit. Bounds what a lost notification costs. */
const farLeaseMsMax = 60_000
const farIdleMsMax = 10_000
/** A project is far from its limit while this number of its blocks remains. */
const farBlocks = 100
/**
 * Interval at which an exhausted project requests units again, so that a raised limit takes effect
 * soon.
 */
const askAgainMs = 1_000
/** Projects that sent nothing for this long are evicted. */
const quietMs = 600_000
/**
 * Allowance of a project whose limit is unknown because Postgres was unavailable before its first
 * event.
 */
const allowanceUnitsUnknown = 100

const noLease: Lease = { leaseNo: 0, units: 0, renewAt: -1, grantedAtMs: 0, charged: 0 }

export class MonthMeter implements Asker<LeaseRequest, LeaseGrant> {
  readonly projectId: ProjectId
  readonly #host: MonthMeterHost
  #current: Lease = noLease
  #spares: Lease[] = []
  #spareUnits = 0
  /** The request in flight. It is repeated unchanged until it is answered. */
  #request: LeaseRequest | undefined
  #isAsked = false
  #askedAtMs = Number.NEGATIVE_INFINITY
  #unitsNeeded = 0
  #before: BlockUse | undefined
  #isExhausted = false
  #wasRefused = false
  #usedAtMs: number
  /** Size of a block for which the project is far from its limit; 0 when it may be close. */
  #farUnits = 0
  /** A limit changed after the request in flight was made. */
  #isAnswerOld = false
  #chargedSinceTick = false
  limits: QuotaLimits | undefined
  /** Events of this month that were charged to the allowance. */
  allowanceCharged = 0

  constructor(projectId: ProjectId, host: MonthMeterHost) {
    this.projectId = projectId
    this.#host = host
    this.#usedAtMs = host.monotonicMs()
  }

  get unitsLeft(): number {
    return this.#current.units - this.#current.charged + this.#spareUnits
  }

  /** Whether the next `count` charges can be decided from memory. */
  isReady(count: number): boolean {
    return count <= this.unitsLeft || this.#isExhausted || this.#host.isAway
  }

  /** Adds events that wait for units. */
  need(count: number): void {
    this.#unitsNeeded += count
    this.#ask()
  }

  /** Resets the needs. Requests that still wait add theirs again. */
  resetNeeds(): void {
    this.#unitsNeeded = 0
  }

  /** The number of the lease that the event is charged to; 0 is the allowance. */
  charge(): number | Refusal {
    let lease = this.#current
    // mutant: lease-exhausted
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

  /**
   * The refusal that `charge` would return, without charging. Clients that see it send no events,
   * so this also requests units.
   */
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
    // While the store is unavailable, units in memory cannot be replaced, so they are kept.
    const idleMs = this.#isFar ? farIdleMsMax : idleMsMax
    if (this.#usedAtMs + idleMs <= nowMs && !this.#host.isAway) this.giveBackAll()
    const isDue = this.#isOld(this.#current, nowMs) || (this.#isExhausted && this.#wasRefused)
    if (isDue && this.#askedAtMs + askAgainMs <= nowMs) this.#ask()
  }

  /**
   * A limit was changed, or units of other processes are running out: leases are kept as briefly as
   * close to the limit, until the next grant.
   */
  limitChanged(): void {
    this.#farUnits = 0
    this.#isAnswerOld = this.#request !== undefined
  }

  /** Ends the month: leases are returned, and the new month starts without one. */
  // mutant: end-period
  endPeriod(): void {
    this.giveBackAll()
    this.#isExhausted = false
    this.#wasRefused = false
    this.allowanceCharged = 0
  }

  giveBackAll(): void {
    this.#retireCurrent()
    // mutant: return-spare-leases
    for (const lease of this.#spares.splice(0)) this.#host.giveBack(lease)
    this.#spareUnits = 0
  }

  /** Whether the meter can be evicted without losing state. */
  isIdle(nowMs: number): boolean {
    const isQuiet = this.#usedAtMs + quietMs <= nowMs && this.#current === noLease
    return isQuiet && !this.#isAsked && this.allowanceCharged === 0
  }

  request(): LeaseRequest {
    // mutant: keep-lease-request
    this.#request ??= {
      requestNo: this.#host.nextRequestNo(),
      projectId: this.projectId,
      period: this.#host.periodName,
      unitsNeeded: Math.min(this.#unitsNeeded, quotaLeaseUnitsMax),
      unitsWanted: sizeBlock(this.#use(), this.#host.hearsChanges ? this.#farUnits : 0),
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
    this.#farUnits = this.#isAnswerOld ? 0 : farUnitsOf(grant)
    this.#isAnswerOld = false
    const nowMs = this.#host.monotonicMs()
    const isOfThisPeriod = request.period === this.#host.periodName
    if (isOfThisPeriod) {
      this.#isExhausted = grant.units < Math.max(1, request.unitsNeeded)
      // Also when nothing was granted: a lowered limit applies to units in memory too.
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

  /** Makes the next spare lease the current one. */
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
    // mutant: return-current-lease
    this.#host.giveBack(this.#current)
    this.#current = noLease
  }

  #chargeUnleased(): number | Refusal {
    if (this.#isExhausted) {
      this.#wasRefused = true
      return overQuota
    }
    // Requests units, so that the recovery of the store is noticed.
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

  /** Use of the current lease, or of the one before it. */
  #use(): BlockUse | undefined {
    const { units, charged, grantedAtMs } = this.#current
    if (units === 0) return this.#before
    return { units, charged, elapsedMs: this.#host.monotonicMs() - grantedAtMs }
  }

  #isOld(lease: Lease, nowMs: number): boolean {
    const msMax = this.#isFar ? farLeaseMsMax : leaseMsMax
    return lease !== noLease && lease.grantedAtMs + msMax <= nowMs
  }

  /** Whether leases of the size of the current one are kept long. */
  get #isFar(): boolean {
    return this.#host.hearsChanges && Math.max(1, this.#current.units) <= this.#farUnits
  }
}

function farUnitsOf({ limits, remaining = 0 }: LeaseGrant): number {
  if (limits.monthlyEvents === undefined) return quotaLeaseUnitsMax
  return Math.max(0, Math.floor(remaining / farBlocks))
}
