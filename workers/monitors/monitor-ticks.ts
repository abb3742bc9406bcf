import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { wakeRules } from '../alerts/firing-store.ts'
import { type Cursor, FencedError } from '../partitions/ports.ts'
import type { MonitorTicks } from './monitor-clock.ts'
import { commitMonitors } from './monitor-commit.ts'

/**
 * Lets minutes pass on idle partitions. The row of the cursor is locked as in a commit, so that of
 * two owners one changes nothing.
 */
export class PostgresMonitorTicks implements MonitorTicks {
  readonly #pg: Pool
  readonly #layout: IngestLayout

  constructor(pg: Pool, layout: IngestLayout) {
    this.#pg = pg
    this.#layout = layout
  }

  async isDue(partition: number, minuteMs: number): Promise<boolean> {
    const { rowCount } = await this.#pg.query(
      `select from monitor_environments
       where due_at <= to_timestamp($3 / 1000.0) and partition_hash % $2 = $1 limit 1`,
      [partition - this.#layout.first, this.#layout.partitions, minuteMs],
    )
    return rowCount === 1
  }

  async tick({ partition, epoch, generation, committedSeq }: Cursor, minuteMs: number) {
    await inTransaction(this.#pg, async (client) => {
      const { rowCount } = await client.query(
        `select from partition_cursors where partition = $1 and epoch = $2 and generation = $3
           and committed_seq = $4 and planned_seq = $4 for update`,
        [partition, epoch, generation, committedSeq],
      )
      if (rowCount === 0) throw new FencedError(`partition ${partition} has another owner`)
      const minutes = [minuteMs]
      const range = { partition, layout: this.#layout, checkIns: [], minutes }
      const result = await commitMonitors(client, range, new Set())
      if (result?.firedRules !== undefined) await wakeRules(client, result.firedRules)
    })
  }
}
