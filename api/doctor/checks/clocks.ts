/** The clock of this machine against those of the stores. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { durationText } from '../../operation/text/format-numbers.ts'
import { clickhouseRows } from '../clickhouse-rows.ts'
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const clocks = of('clocks')
const warningSeconds = 5

export const clocksCheck: Check = {
  group: 'clocks',
  run: (ctx) => Promise.all([ofPostgres(ctx), ofClickHouse(ctx), ofNats(ctx)]),
}

async function ofPostgres(ctx: DoctorContext): Promise<Finding> {
  const found = await ctx.postgres()
  if (found.state !== 'answers') return clocks.skipped('postgres', 'Needs Postgres.')
  const { pool } = found.store
  return compare(ctx, 'Postgres', async () => {
    const { rows } = await pool.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    return rows[0]?.ms
  })
}

async function ofClickHouse(ctx: DoctorContext): Promise<Finding> {
  const found = await ctx.clickhouse()
  if (found.state !== 'answers') return clocks.skipped('clickhouse', 'Needs ClickHouse.')
  return compare(ctx, 'ClickHouse', async () => {
    const query = 'select toString(toUnixTimestamp64Milli(now64(3))) as ms'
    const [row] = await clickhouseRows<{ ms: string }>(found.store, query)
    return row && Number(row.ms)
  })
}

async function ofNats(ctx: DoctorContext): Promise<Finding> {
  const found = await ctx.nats()
  if (found.state !== 'answers') return clocks.skipped('nats', 'Needs NATS.')
  const time = found.store.jetStream?.time
  if (time === undefined) return clocks.skipped('nats', 'This version of NATS reports no time.')
  return offsetFinding('NATS', (time.localMs - time.serverMs) / 1000)
}

/** The reply was made about half-way between the question and its arrival. */
async function compare(
  { clock }: DoctorContext,
  store: string,
  read: () => Promise<number | undefined>,
): Promise<Finding> {
  const beforeMs = clock.nowMs()
  const serverMs = await read()
  const localMs = (beforeMs + clock.nowMs()) / 2
  const name = store.toLowerCase()
  if (serverMs === undefined) return clocks.skipped(name, `${store} reports no time.`)
  return offsetFinding(store, (localMs - serverMs) / 1000)
}

export function offsetFinding(store: string, seconds: number): Finding {
  const name = store.toLowerCase()
  const size = Math.abs(seconds)
  const direction = seconds > 0 ? 'ahead of' : 'behind'
  const text = `This machine is ${durationText(size)} ${direction} ${store}.`
  const advice = 'Synchronize the clocks of both machines (systemd-timesyncd or chrony).'
  if (size > faultLimits.clockOffsetSeconds) return clocks.problem(name, text, advice)
  if (size > warningSeconds) return clocks.warning(name, text, advice)
  return clocks.ok(name, `${store} and this machine agree within ${durationText(size)}.`)
}
