/** The layout of the bus, and what a change of the number of partitions still waits for. */
import { readLayouts } from '#platform/installation/layouts.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { Postgres } from '../database.ts'
import { listFormerInstances, type WaitingInstance } from './partition-store.ts'

export interface PartitionsView {
  readonly current: IngestLayout | undefined
  readonly next: IngestLayout | undefined
  /**
   * Ingest instances that still publish to the present partitions, or whose write-ahead log was not
   * confirmed yet; empty without a change.
   */
  readonly waitsFor: readonly WaitingInstance[]
}

export async function showPartitions(pg: Postgres): Promise<PartitionsView> {
  const { current, next } = await readLayouts(pg)
  const waitsFor = next === undefined ? [] : await listFormerInstances(pg, next)
  return { current, next, waitsFor }
}
