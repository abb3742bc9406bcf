/** The report of a reconciliation, as `admin reconcile --json` prints it. */
import type { Position } from './position.ts'

export interface ReconcileReport {
  readonly dry_run: boolean
  /** Partitions that differed. */
  readonly partitions: readonly PartitionReport[]
  readonly projects: readonly ProjectReport[]
  /** Events of projects that Postgres does not have. They stay in ClickHouse, uncounted. */
  readonly unknown_projects: readonly { readonly dsn_id: number; readonly events: number }[]
  readonly leases_settled: number
  /** With `full`: events of committed rows that no count contained, and that were added. */
  readonly events_missing?: number
  /** Layouts on the broker that Postgres does not know. Nobody reads their frames. */
  readonly lost_layouts: readonly {
    readonly first_partition: number
    readonly partitions: number
    readonly streams: number
  }[]
  /** What could not be restored, as sentences. */
  readonly unknown: readonly string[]
}

export interface PartitionReport {
  readonly partition: number
  readonly before: Position
  readonly after: Position
  readonly clickhouse: Position
  /** Ranges that Postgres did not know and that count as committed now. */
  readonly ranges: number
  /** `replayed` and `undone`: the worker that takes the partition over does it. */
  readonly last_range: 'kept' | 'replayed' | 'undone' | 'without_note'
  readonly events: number
  readonly issues_created: number
  readonly issues_regressed: number
}

export interface ProjectReport {
  readonly dsn_id: number
  readonly name: string
  readonly events_before: number
  readonly events_after: number
  readonly issues_before: number
  readonly issues_after: number
  readonly releases_before: number
  readonly releases_after: number
  readonly quota_before: number
  readonly quota_after: number
  /** Issues with a count and without any row: their events expired or were deleted. */
  readonly issues_without_rows: number
}
