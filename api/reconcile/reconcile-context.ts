/** What a reconciliation uses. `open-reconcile-store.ts` connects it; tests pass their own. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { Actor } from '../audit/audit-store.ts'

export interface ReconcileContext {
  /** A pool whose statements may take minutes. */
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly streams: StreamReader
  /** Opens a connection that holds locks of partitions. */
  readonly openLocks: () => Promise<PartitionLocks>
  readonly clock: Clock
  /** Called with one sentence for each step. */
  readonly say: (sentence: string) => void
}

export interface StreamReader {
  /**
   * Layouts that have carried frames and that Postgres does not know, earliest first: the number of
   * partitions was changed in the time that it has lost.
   */
  lostLayouts(): Promise<readonly IngestLayout[]>
  /** The stream of a partition; undefined when the broker has none. */
  stateOf(partition: number): Promise<StreamState | undefined>
  /**
   * Counts the messages of a partition with `afterSeq < seq <= toSeq`, and stops at
   * `messagesMax`.
   */
  countMessages(
    partition: number,
    range: { readonly afterSeq: number; readonly toSeq: number; readonly messagesMax: number },
  ): Promise<number>
}

export interface StreamState {
  /** Creation time as the broker reports it. */
  readonly createdAt: string
  readonly firstSeq: number
  readonly lastSeq: number
}

/** The locks by which workers own partitions, held by this process instead. */
export interface PartitionLocks {
  /** Waits for the lock. Rejects with a `CodedError` when another process keeps it. */
  acquire(partition: number): Promise<void>
  /** Throws when the connection was lost, and with it the locks. */
  expectHeld(): void
  close(): Promise<void>
}

/** Who reconciles. The audit log of each organization gets an entry. */
export type ReconcileActor = Omit<Actor, 'organizationId'>
