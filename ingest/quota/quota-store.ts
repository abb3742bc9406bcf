/**
 * What the quota book asks of Postgres. Every answer may be lost and every statement may run after its caller has given
 * up, so each can be repeated: a grant is known by its request number, a lease is given back once.
 */
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'

export interface QuotaStore {
  /**
   * Units of the month. For each request: if the boot has a lease of this request number, that lease again (with 0 units
   * when it is no longer open); else a new one, counted in `quota_usage.used` at once, of
   *
   *   max(unitsNeeded, min(unitsWanted, ceil(remaining / (4 × live boots)))), but at most what remains.
   *
   * Fewer units than needed (or than 1) mean that nothing remains. A project without limit gets what is wanted.
   * Answers stand in the order of the requests. All or none are granted; throws when that is not known.
   */
  grant(instanceId: string, requests: readonly LeaseRequest[]): Promise<readonly LeaseGrant[]>

  /**
   * Closes leases: `used -= units − charged`, and their units become what was charged. One that is not open any more is
   * passed over, so this may be repeated.
   */
  giveBack(instanceId: string, returns: readonly LeaseReturn[]): Promise<void>

  /** Units of a minute, sized like those of a month. They end with their minute: nothing is given back. */
  grantMinutes(requests: readonly MinuteRequest[]): Promise<readonly MinuteGrant[]>

  /** Minutes before this time, and leases from before it of which everything was seen, are of no use any more. */
  forget(beforeMs: number): Promise<void>

  /** The boot lives, whatever was thought of it: others count it when they size a block. */
  touchInstance(instanceId: string): Promise<void>

  /**
   * Nothing of the boot can come any more: of each of its leases, open or closed, what no worker has seen is given back
   * (`used -= units − seen`), and the lease is settled. It is granted nothing more, until it is touched. May be repeated.
   */
  settleInstance(instanceId: string): Promise<void>
}

export interface LeaseRequest {
  /** Of the boot; a request that is repeated because its answer is not known keeps its number. */
  readonly requestNo: number
  readonly projectId: ProjectId
  /** First day of the month: `2026-11-01`. */
  readonly period: string
  /** Events that wait for this answer. */
  readonly unitsNeeded: number
  /** About a second's worth, at most `quotaLeaseUnitsMax`. */
  readonly unitsWanted: number
}

export interface LeaseGrant {
  /** 0 when there are no units. */
  readonly leaseNo: number
  readonly units: number
  /** As they are now. A change of them acts within the few seconds that a lease is kept. */
  readonly limits: QuotaLimits
}

export interface QuotaLimits {
  /** Undefined is without limit, throughout. */
  readonly monthlyEvents: number | undefined
  readonly eventsPerMinute: number | undefined
  /** Only the keys that have a limit. */
  readonly keyEventsPerMinute: ReadonlyMap<DsnKeyNo, number>
}

export interface LeaseReturn {
  readonly leaseNo: number
  /** Events charged to the lease; what is left of its units goes back. */
  readonly charged: number
}

export type MinuteScope = 'project' | 'key'

export interface MinuteRequest {
  readonly scope: MinuteScope
  /** `projects.dsn_id` or `dsn_keys.key_no`. */
  readonly scopeId: number
  /** Its first millisecond. */
  readonly minuteMs: number
  readonly unitsNeeded: number
  readonly unitsWanted: number
}

export interface MinuteGrant {
  readonly units: number
  /** As it is now; undefined is without limit, and then there are no units. */
  readonly limit: number | undefined
}
