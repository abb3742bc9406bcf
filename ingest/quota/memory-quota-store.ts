/**
 * The quota store in memory, for tests: what Postgres does (0004-quota.sql), in as many words. Beside it stand the
 * worker's moves, and a switch that takes the store away before or after it has done what was asked.
 */
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import type {
  LeaseGrant,
  LeaseRequest,
  LeaseReturn,
  MinuteGrant,
  MinuteRequest,
  QuotaStore,
} from './quota-store.ts'

interface StoredLease {
  readonly leaseNo: number
  readonly bootId: string
  readonly requestNo: number
  readonly projectId: ProjectId
  readonly period: string
  units: number
  seen: number
  state: 'open' | 'closed' | 'settled'
}

export interface ProjectSettings {
  monthlyEvents?: number | undefined
  eventsPerMinute?: number | undefined
  keyEventsPerMinute?: ReadonlyMap<DsnKeyNo, number>
}

export class MemoryQuotaStore implements QuotaStore {
  readonly projects = new Map<ProjectId, ProjectSettings>()
  readonly leases: StoredLease[] = []
  readonly minutes = new Map<string, number>()
  readonly boots = new Set<string>()
  readonly #settled = new Set<string>()
  readonly #used = new Map<string, number>()
  /** `before`: nothing is done any more. `after`: it is done, and the answer is lost. */
  fails: 'before' | 'after' | undefined
  /** Holds answers back for as long as it likes. */
  delay: (() => Promise<void>) | undefined
  grantCalls = 0
  /** Highest use that each project and month ever had. */
  readonly peaks = new Map<string, number>()

  used(projectId: ProjectId, period: string): number {
    return this.#used.get(`${projectId} ${period}`) ?? 0
  }

  openLeases(bootId: string): number {
    return this.leases.filter((lease) => lease.bootId === bootId && lease.state === 'open').length
  }

  async grant(bootId: string, requests: readonly LeaseRequest[]): Promise<readonly LeaseGrant[]> {
    this.grantCalls += 1
    return this.#answer(() => requests.map((request) => this.#grantOne(bootId, request)))
  }

  async giveBack(bootId: string, returns: readonly LeaseReturn[]): Promise<void> {
    await this.#answer(() => {
      for (const { leaseNo, charged } of returns) {
        const lease = this.leases[leaseNo - 1]
        if (lease?.state !== 'open' || lease.bootId !== bootId) continue
        this.#add(lease, charged - lease.units)
        lease.units = charged
        lease.state = 'closed'
      }
    })
  }

  async grantMinutes(requests: readonly MinuteRequest[]): Promise<readonly MinuteGrant[]> {
    return this.#answer(() => requests.map((request) => this.#grantMinute(request)))
  }

  async forget(): Promise<void> {}

  async touchBoot(bootId: string): Promise<void> {
    this.boots.add(bootId)
    this.#settled.delete(bootId)
  }

  async settleBoot(bootId: string): Promise<void> {
    for (const lease of this.leases) {
      if (lease.bootId !== bootId || lease.state === 'settled') continue
      this.#add(lease, lease.seen - lease.units)
      lease.state = 'settled'
    }
    this.boots.delete(bootId)
    this.#settled.add(bootId)
  }

  /** A worker commits records of a lease, of which so many were accepted. */
  commit(leaseNo: number, { records, accepted }: { records: number; accepted: number }): void {
    const lease = this.leases[leaseNo - 1]
    if (lease === undefined) throw new Error(`lease ${leaseNo} is unknown`)
    lease.seen += records
    this.#add(lease, (lease.state === 'settled' ? records : 0) - (records - accepted))
  }

  /** A worker commits records that were charged to no lease. */
  commitUnleased(projectId: ProjectId, period: string, accepted: number): void {
    this.#add({ projectId, period }, accepted)
  }

  #grantOne(bootId: string, request: LeaseRequest): LeaseGrant {
    const { projectId, period, requestNo, unitsNeeded, unitsWanted } = request
    const settings = this.projects.get(projectId) ?? { monthlyEvents: 0 }
    const limits = {
      monthlyEvents: settings.monthlyEvents,
      eventsPerMinute: settings.eventsPerMinute,
      keyEventsPerMinute: settings.keyEventsPerMinute ?? new Map<DsnKeyNo, number>(),
    }
    const earlier = this.leases.find((lease) => {
      return lease.bootId === bootId && lease.requestNo === requestNo
    })
    if (earlier !== undefined) {
      if (earlier.state !== 'open') return { leaseNo: 0, units: 0, limits }
      return { leaseNo: earlier.leaseNo, units: earlier.units, limits }
    }
    const remaining = (settings.monthlyEvents ?? Infinity) - this.used(projectId, period)
    const units = this.#block(unitsNeeded, unitsWanted, remaining)
    if (units === 0 || this.#settled.has(bootId)) return { leaseNo: 0, units: 0, limits }
    const leaseNo = this.leases.length + 1
    const lease = { leaseNo, bootId, requestNo, projectId, period, units, seen: 0 }
    this.leases.push({ ...lease, state: 'open' })
    this.#add(lease, units)
    return { leaseNo, units, limits }
  }

  #grantMinute({ scope, scopeId, minuteMs, unitsNeeded, unitsWanted }: MinuteRequest): MinuteGrant {
    const limit = this.#minuteLimit(scope, scopeId)
    if (limit === undefined) return { units: 0, limit }
    const row = `${scope} ${scopeId} ${minuteMs}`
    const used = this.minutes.get(row) ?? 0
    const units = this.#block(unitsNeeded, unitsWanted, limit - used)
    this.minutes.set(row, used + units)
    return { units, limit }
  }

  #minuteLimit(scope: MinuteRequest['scope'], scopeId: number): number | undefined {
    if (scope === 'project') return this.projects.get(scopeId as ProjectId)?.eventsPerMinute
    for (const { keyEventsPerMinute } of this.projects.values()) {
      const limit = keyEventsPerMinute?.get(scopeId as DsnKeyNo)
      if (limit !== undefined) return limit
    }
    return undefined
  }

  #block(needed: number, wanted: number, remaining: number): number {
    const share = Math.ceil(remaining / (4 * Math.max(1, this.boots.size)))
    return Math.max(0, Math.min(remaining, Math.max(needed, Math.min(wanted, share))))
  }

  #add({ projectId, period }: { projectId: ProjectId; period: string }, units: number): void {
    const row = `${projectId} ${period}`
    const used = (this.#used.get(row) ?? 0) + units
    if (used < 0) throw new Error(`use of ${row} fell below nothing`)
    this.#used.set(row, used)
    this.peaks.set(row, Math.max(used, this.peaks.get(row) ?? 0))
  }

  async #answer<T>(work: () => T): Promise<T> {
    if (this.fails === 'before') throw new Error('the store is away')
    const answer = work()
    await this.delay?.()
    if (this.fails === 'after') throw new Error('the answer is lost')
    return answer
  }
}
