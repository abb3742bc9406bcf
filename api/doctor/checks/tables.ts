/** The tables of ClickHouse: their engines, expiry, and the window that drops repeated inserts. */
import { clickhouseRows } from '../clickhouse-rows.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const tables = of('tables')

interface Table {
  readonly name: string
  readonly engine: string
  readonly definition: string
}

const wanted: readonly { name: string; engine: string; expires: boolean }[] = [
  { name: 'events', engine: 'MergeTree', expires: true },
  { name: 'outcomes', engine: 'SummingMergeTree', expires: false },
  { name: 'sessions', engine: 'AggregatingMergeTree', expires: true },
  { name: 'session_days', engine: 'MergeTree', expires: true },
]

export const tablesCheck: Check = {
  group: 'tables',
  run: async (ctx) => {
    const found = await ctx.clickhouse()
    if (found.state !== 'answers') return [tables.skipped('all', 'Needs ClickHouse.')]
    const rows = await clickhouseRows<Table>(
      found.store,
      'select name, engine, engine_full as definition from system.tables where database = currentDatabase()',
    )
    const faults = wanted.flatMap((table) => tableFaults(table, rows))
    if (faults.length > 0) return faults
    return [tables.ok('all', 'Tables have the right engines, expiry and deduplication.')]
  },
}

export function tableFaults(
  { name, engine, expires }: (typeof wanted)[number],
  rows: readonly Table[],
): Finding[] {
  const row = rows.find((table) => table.name === name)
  if (row === undefined) {
    const advice = 'Run `npm run migrate`.'
    return [tables.problem(name, `The table ${name} does not exist.`, advice)]
  }
  const [, family = '', plain = ''] = /^(Replicated|Shared)?(.*)$/.exec(row.engine) ?? []
  const faults: Finding[] = []
  if (plain !== engine) {
    faults.push(
      tables.problem(
        `${name}_engine`,
        `The table ${name} has the engine ${row.engine}, and needs ${engine} or Replicated${engine}.`,
        'Create it again from schemas/clickhouse and copy the rows.',
      ),
    )
  }
  if (expires && !/\bTTL\b/i.test(row.definition)) {
    faults.push(
      tables.warning(
        `${name}_ttl`,
        `The table ${name} has no TTL, so its rows are never deleted.`,
        `Add the TTL of schemas/clickhouse with \`alter table ${name} modify ttl …\`.`,
      ),
    )
  }
  const window = /\bnon_replicated_deduplication_window = (\d+)/.exec(row.definition)?.[1]
  // Replicated engines deduplicate without a setting, unless it is 0.
  const off =
    family === ''
      ? Number(window ?? 0) === 0
      : /(?<!non_)\breplicated_deduplication_window = 0\b/.test(row.definition)
  if (off) {
    faults.push(
      tables.problem(
        `${name}_deduplication`,
        `The table ${name} does not drop repeated inserts, so a restart of a worker counts rows twice.`,
        `Set it with \`alter table ${name} modify setting non_replicated_deduplication_window = 10000\`.`,
      ),
    )
  }
  return faults
}
