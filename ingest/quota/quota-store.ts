/**
 * The store of the quota book. An answer may be lost, and a statement may run after its caller has
 * stopped waiting, so every call is idempotent: a grant is identified by its request number, and a
 * lease is returned once.
 */
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'

export interface QuotaStore {
  /**
   * Leases units of a month. A request number that the instance has used before returns the same
   * lease (with 0 units when it is closed). Otherwise a new lease is created, and counted in
   * `quota_usage.used` at once, of
   *
   *   max(unitsNeeded, min(unitsWanted, ceil(remaining / (4 × live instances)))), but at most the
   *   remaining units.
   *
   * Fewer units than needed (or than 1) mean that none remain. A project without a limit gets
   * `unitsWanted`. Answers are in the order of the requests. Grants all or none; rejects when that
   * is unknown.
   *
   * A grant that leaves less than `4 × unitsWanted` is announced to all instances, like a changed
   * limit, so that they return the units that they keep (`QuotaBook.limitChanged`).
   */
  grant(instanceId: string, requests: readonly LeaseRequest[]): Promise<readonly LeaseGrant[]>

  /**
   * Closes leases: `used -= units − charged`, and the lease's units become `charged`. Closed leases
   * are skipped, so the call is idempotent.
   */
  giveBack(instanceId: string, returns: readonly LeaseReturn[]): Promise<void>

  /**
   * Leases units of a minute, sized like those of a month. They expire with the minute and are not
   * given back.
   */
  grantMinutes(requests: readonly MinuteRequest[]): Promise<readonly MinuteGrant[]>

  /**
   * Deletes minutes before this time, and leases from before it whose events have all been
   * digested.
   */
  deleteOld(beforeMs: number): Promise<void>

  /** Records that the instance is live: other instances count it when they size a block. */
  touchInstance(instanceId: string): Promise<void>

  /**
   * Settles a dead instance whose frames are all committed: units of its leases that no worker has
   * seen are returned (`used -= units − seen`). It gets no grants until it is touched again.
   * Idempotent.
   */
  settleInstance(instanceId: string): Promise<void>
}

export interface LeaseRequest {
  /**
   * Number of the request, unique within the instance. A request that is repeated keeps its number.
   */
  readonly requestNo: number
  readonly projectId: ProjectId
  /** First day of the month: `2026-11-01`. */
  readonly period: string
  /** Events that wait for this answer. */
  readonly unitsNeeded: number
  /** About one second's worth, at most `quotaLeaseUnitsMax`. */
  readonly unitsWanted: number
}

export interface LeaseGrant {
  /** 0 when no units were granted. */
  readonly leaseNo: number
  readonly units: number
  /** Units that remained in the month before this grant; absent without a limit. */
  readonly remaining?: number | undefined
  /** Current limits. A change takes effect within the seconds that a lease is kept. */
  readonly limits: QuotaLimits
}

export interface QuotaLimits {
  /** Undefined means without limit. */
  readonly monthlyEvents: number | undefined
  readonly eventsPerMinute: number | undefined
  /** Only keys that have a limit. */
  readonly keyEventsPerMinute: ReadonlyMap<DsnKeyNo, number>
}

export interface LeaseReturn {
  readonly leaseNo: number
  /** Events charged to the lease; the rest of its units is returned. */
  readonly charged: number
}

export type MinuteScope = 'project' | 'key'

export interface MinuteRequest {
  readonly scope: MinuteScope
  /** `projects.dsn_id` or `dsn_keys.key_no`. */
  readonly scopeId: number
  /** First millisecond of the minute. */
  readonly minuteMs: number
  readonly unitsNeeded: number
  readonly unitsWanted: number
}

export interface MinuteGrant {
  readonly units: number
  /** Current limit; undefined means without limit, and then no units are granted. */
  readonly limit: number | undefined
}
