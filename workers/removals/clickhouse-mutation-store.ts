/**
 * Deletes and rewrites rows of ClickHouse by mutations, which run in its background. A mutation
 * that was started continues when this process ends; a repeated one finds nothing to do.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Sleep } from '../partitions/ports.ts'

export interface MutationContext {
  readonly clickhouse: ClickHouseClient
  readonly clock: Clock
  readonly sleep: Sleep
  /** Aborted when the process drains. */
  readonly signal: AbortSignal
}

/** The job fails after this time and is retried, while the mutation continues. */
const waitMsMax = 10 * 60_000
/** The pattern of a long address occurs many times; the default of ClickHouse is 256 KiB. */
const changeBytesMax = 8 * 1024 ** 2
const pollMsMin = 20
const pollMsMax = 2_000
/** A scan of a large table; the client's limit for one request is 30 s. */
const countSecondsMax = 25

/** @param change what follows `alter table <table>`. */
export async function mutate(ctx: MutationContext, table: string, change: string): Promise<void> {
  await ctx.clickhouse.command({
    query: `alter table ${table} ${change}`,
    clickhouse_settings: { mutations_sync: '0', max_query_size: String(changeBytesMax) },
  })
  await waitForMutations(ctx, table)
}

/** Waits until the table has no unfinished mutation. Throws when one fails or takes too long. */
export async function waitForMutations(ctx: MutationContext, table: string): Promise<void> {
  const { clock, sleep, signal } = ctx
  const deadlineMs = clock.monotonicMs() + waitMsMax
  let pollMs = pollMsMin
  while (true) {
    const open = await select<{ reason: string }>(
      ctx.clickhouse,
      `select latest_fail_reason as reason from system.mutations
       where database = currentDatabase() and table = '${table}' and not is_done`,
    )
    if (open.length === 0) return
    const reason = open.find((row) => row.reason !== '')?.reason
    if (reason !== undefined && clock.monotonicMs() >= deadlineMs - waitMsMax / 2) {
      throw new Error(`ClickHouse cannot finish a mutation of ${table}: ${reason.slice(0, 200)}`)
    }
    if (clock.monotonicMs() >= deadlineMs) throw new Error(`${table} is still being changed`)
    await sleep(pollMs, signal)
    signal.throwIfAborted()
    pollMs = Math.min(pollMs * 2, pollMsMax)
  }
}

/** @param condition of one table; counts in pieces when `pieces` splits it. */
export async function countRows(
  clickhouse: ClickHouseClient,
  table: string,
  condition: string,
): Promise<number> {
  const [row] = await select<{ n: number }>(
    clickhouse,
    `select count() as n from ${table} where ${condition}`,
  )
  return row?.n ?? 0
}

export async function select<Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> {
  const result = await clickhouse.query({
    query,
    format: 'JSONEachRow',
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 0,
      max_execution_time: countSecondsMax,
    },
  })
  return result.json<Row>()
}
