/**
 * Whether all events have their names in the projection `issue_names`
 * (schemas/clickhouse/0017-issue-names.sql). Parts from before it are read event by event, so until
 * they have expired or got it, the sets in `issue_sums` are read instead.
 */
import { systemClock } from '#platform/clock.ts'
import type { ClickHouse } from '../../database.ts'

interface Known {
  readonly areStored: Promise<boolean>
  readonly untilMs: number
}

const knownMs = 10 * 60_000
const known = new WeakMap<ClickHouse, Known>()

export function areNamesStored(clickhouse: ClickHouse): Promise<boolean> {
  const nowMs = systemClock.monotonicMs()
  const before = known.get(clickhouse)
  if (before !== undefined && nowMs < before.untilMs) return before.areStored
  const areStored = ask(clickhouse)
  known.set(clickhouse, { areStored, untilMs: nowMs + knownMs })
  return areStored
}

/** The account may lack the right to read system tables. */
async function ask(clickhouse: ClickHouse): Promise<boolean> {
  try {
    const [row] = await clickhouse.select<{ missing: number }>(
      `select count() as missing from system.parts
       where active and database = currentDatabase() and table = 'events'
         and not has(projections, 'issue_names')`,
      {},
    )
    return row?.missing === 0
  } catch {
    return false
  }
}
