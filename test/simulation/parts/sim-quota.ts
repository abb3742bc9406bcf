/**
 * The quota tables of Postgres, with the same statements as the product's SQL. Each method is one
 * transaction: it is atomic.
 */
import type {
  LeaseGrant,
  LeaseRequest,
  LeaseReturn,
  MinuteGrant,
  MinuteRequest,
  QuotaLimits,
} from '../../../ingest/quota/quota-store.ts'
import type { LeaseCount } from '../../../workers/digest/lease-tally.ts'

export interface SimProject {
  readonly projectId: number
  readonly keyNo: number
  monthlyEvents: number | undefined
  eventsPerMinute: number | undefined
  keyEventsPerMinute: number | undefined
}

export interface SimLease {
  readonly leaseNo: number
  readonly projectId: number
  readonly period: string
  readonly instanceId: string
  readonly requestNo: number
  units: number
  seen: number
  state: 'open' | 'closed' | 'settled'
}

export interface SimInstance {
  seenAtMs: number
  isSettled: boolean
}

export interface SimUsage {
  readonly projectId: number
  readonly period: string
  used: number
  /** Events that were accepted without a lease while Postgres was unavailable. */
  unleased: number
}

/** An instance that was silent for longer does not reduce the size of leases. */
const liveInstanceMs = 15_000

export class SimQuota {
  readonly projects: ReadonlyMap<number, SimProject>
  readonly leases = new Map<number, SimLease>()
  readonly instances = new Map<string, SimInstance>()
  /**
   * Called with each new use of a project's month, and with the part of it that was accepted
   * without a lease.
   */
  onUsed: (usage: SimUsage) => void = () => undefined
  /** Called for grants that leave little and for changed limits, as Postgres announces them. */
  readonly limitListeners = new Set<(projectId: number) => void>()
  readonly #used = new Map<string, SimUsage>()
  readonly #minutes = new Map<string, number>()
  #lastLeaseNo = 0

  constructor(projects: readonly SimProject[]) {
    this.projects = new Map(projects.map((project) => [project.projectId, project]))
  }

  get usage(): readonly SimUsage[] {
    return [...this.#used.values()]
  }

  get openLeaseCount(): number {
    return [...this.leases.values()].filter(({ state }) => state === 'open').length
  }

  touchInstance(instanceId: string, nowMs: number): void {
    const instance = this.instances.get(instanceId)
    if (instance === undefined) {
      this.instances.set(instanceId, { seenAtMs: nowMs, isSettled: false })
      return
    }
    instance.seenAtMs = nowMs
    // It is alive, even if it was settled as dead.
    instance.isSettled = false
  }

  grant(instanceId: string, requests: readonly LeaseRequest[], nowMs: number): LeaseGrant[] {
    this.#instanceOf(instanceId, nowMs)
    return requests.map((request) => {
      const limits = this.#limitsOf(request.projectId)
      const before = [...this.leases.values()].find(
        (lease) => lease.instanceId === instanceId && lease.requestNo === request.requestNo,
      )
      if (before !== undefined) {
        if (before.state !== 'open') return { leaseNo: 0, units: 0, limits }
        return { leaseNo: before.leaseNo, units: before.units, limits }
      }
      // A statement of a process that has died may still run.
      // mutant: refuse-settled-instance
      if (this.instances.get(instanceId)?.isSettled === true)
        return { leaseNo: 0, units: 0, limits }
      const remaining = this.#remainingOf(request)
      const units = this.#unitsFor(request, nowMs)
      if (0 < remaining && remaining - units < 4 * request.unitsWanted) {
        this.announce(request.projectId)
      }
      if (units < 1) return { leaseNo: 0, units: 0, limits }
      this.#lastLeaseNo += 1
      const { projectId, period, requestNo } = request
      const leaseNo = this.#lastLeaseNo
      const state = 'open' as const
      this.leases.set(leaseNo, {
        leaseNo,
        projectId,
        period,
        instanceId,
        requestNo,
        units,
        seen: 0,
        state,
      })
      this.#add(projectId, period, units)
      return { leaseNo, units, remaining, limits }
    })
  }

  announce(projectId: number): void {
    for (const hear of this.limitListeners) hear(projectId)
  }

  giveBack(instanceId: string, returns: readonly LeaseReturn[]): void {
    for (const { leaseNo, charged } of returns) {
      const lease = this.leases.get(leaseNo)
      if (lease === undefined || lease.instanceId !== instanceId || lease.state !== 'open') continue
      this.#add(lease.projectId, lease.period, charged - lease.units)
      lease.units = charged
      lease.state = 'closed'
    }
  }

  grantMinutes(requests: readonly MinuteRequest[], nowMs: number): MinuteGrant[] {
    return requests.map((request) => {
      const limit = this.#minuteLimit(request)
      if (limit === undefined) return { units: 0, limit }
      const key = `${request.scope} ${request.scopeId} ${request.minuteMs}`
      const used = this.#minutes.get(key) ?? 0
      const remaining = Math.max(0, limit - used)
      const units = Math.min(remaining, this.#blockOf(request, remaining, nowMs))
      this.#minutes.set(key, used + units)
      return { units, limit }
    })
  }

  settleInstance(instanceId: string, nowMs: number): void {
    for (const lease of this.leases.values()) {
      if (lease.instanceId !== instanceId || lease.state === 'settled') continue
      this.#add(lease.projectId, lease.period, lease.seen - lease.units)
      lease.state = 'settled'
    }
    this.#instanceOf(instanceId, nowMs).isSettled = true
  }

  /** Applies the lease counts of a committed range. */
  commitLeases(counts: readonly LeaseCount[]): void {
    for (const { leaseNo, projectId, receivedMonth, records, accepted } of counts) {
      if (leaseNo === 0) {
        this.#add(projectId, receivedMonth, accepted, accepted)
        continue
      }
      const lease = this.leases.get(leaseNo)
      if (lease === undefined) continue
      lease.seen += records
      const late = lease.state === 'settled' ? records : 0
      this.#add(lease.projectId, lease.period, late - (records - accepted))
    }
  }

  /** Adds an unknown instance as a silent one. */
  #instanceOf(instanceId: string, nowMs: number): SimInstance {
    const instance = this.instances.get(instanceId) ?? {
      seenAtMs: nowMs - 60_000,
      isSettled: false,
    }
    this.instances.set(instanceId, instance)
    return instance
  }

  #unitsFor(request: LeaseRequest, nowMs: number): number {
    const remaining = this.#remainingOf(request)
    if (remaining === Infinity) return Math.max(request.unitsNeeded, request.unitsWanted)
    return Math.min(remaining, this.#blockOf(request, remaining, nowMs))
  }

  #remainingOf({ projectId, period }: LeaseRequest): number {
    const limit = this.projects.get(projectId)?.monthlyEvents
    if (limit === undefined) return Infinity
    const used = this.#used.get(`${projectId} ${period}`)?.used ?? 0
    // mutant: remaining-units
    return Math.max(0, limit - used)
  }

  #blockOf(
    request: { readonly unitsNeeded: number; readonly unitsWanted: number },
    remaining: number,
    nowMs: number,
  ): number {
    const live = [...this.instances.values()].filter(
      ({ seenAtMs, isSettled }) => !isSettled && nowMs - seenAtMs < liveInstanceMs,
    ).length
    const share = Math.ceil(remaining / (4 * Math.max(1, live)))
    return Math.max(request.unitsNeeded, Math.min(request.unitsWanted, share))
  }

  #limitsOf(projectId: number): QuotaLimits {
    const project = this.projects.get(projectId)
    const keyLimit = project?.keyEventsPerMinute
    return {
      monthlyEvents: project?.monthlyEvents,
      eventsPerMinute: project?.eventsPerMinute,
      keyEventsPerMinute: new Map(
        project === undefined || keyLimit === undefined
          ? []
          : [[project.keyNo as never, keyLimit] as const],
      ),
    }
  }

  #minuteLimit({ scope, scopeId }: MinuteRequest): number | undefined {
    for (const project of this.projects.values()) {
      if (scope === 'project' && project.projectId === scopeId) return project.eventsPerMinute
      if (scope === 'key' && project.keyNo === scopeId) return project.keyEventsPerMinute
    }
    return undefined
  }

  #add(projectId: number, period: string, units: number, unleased = 0): void {
    const key = `${projectId} ${period}`
    const usage = this.#used.get(key) ?? { projectId, period, used: 0, unleased: 0 }
    usage.used += units
    usage.unleased += unleased
    this.#used.set(key, usage)
    this.onUsed(usage)
  }
}
