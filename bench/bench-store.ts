/**
 * `npm run bench:store`: what an event costs the embedded ClickHouse, inserts and merges, in CPU
 * time of its process, and how many bytes it takes there, by column.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { inheritedEnv } from '#platform/env.ts'
import { migrateClickHouse, readMigrations } from '#platform/installation/migrate.ts'
import { embeddedClickHouse } from '../dev/engines/clickhouse.ts'
import { readSecrets } from '../dev/engines/secrets.ts'
import { freePort } from '../dev/processes/free-port.ts'
import { ManagedProcess } from '../dev/processes/managed-process.ts'
// biome-ignore-start lint/style/noRestrictedImports: it stores what the workers store.
import { digestRange } from '../workers/digest/digest-range.ts'
import type { RangeOutput } from '../workers/digest/range.ts'
import { insertRows } from '../workers/rows/row-store.ts'
// biome-ignore-end lint/style/noRestrictedImports: see above.
import { makeWorkload } from './digest/make-ranges.ts'
import { describeMachine } from './report/machine.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'
import { readProcessUsage } from './report/process-usage.ts'

/** Events of a round, in ranges as full as those of a backlog. */
const sizes = [
  { kb: 1, eventCount: 30_000 },
  { kb: 10, eventCount: 4_800 },
  { kb: 50, eventCount: 1_280 },
] as const
const columnsShown = 12

const options = new Command('bench:store')
  .description('Measure the CPU time and the bytes of an event in the embedded ClickHouse.')
  .option('--rounds <n>', 'how often the events are stored', wholeNumber(1, 100), 5)
  .option('--only <kb>', 'only events of this many kilobytes', wholeNumber(1, 50))
  .option('--alter <sql>', 'compare with: alter table events … in a second engine')
  .option('--json', 'print the result as JSON', false)
  .parse()
  .opts<{ rounds: number; only?: number; alter?: string; json: boolean }>()

await main()

type Insert = Pick<RangeOutput, 'eventRows' | 'eventCount'>

interface Cost {
  readonly insertUs: number
  /** Of the merges that the engine decided on. */
  readonly mergeUs: number
}

interface Stored {
  readonly parts: number
  readonly bytes: number
  readonly columns: readonly { readonly column: string; readonly bytes: number }[]
}

async function main(): Promise<void> {
  const chosen = sizes.filter(({ kb }) => options.only === undefined || kb === options.only)
  const results: (Cost & Stored & { kb: number; table: 'as it is' | 'altered' })[] = []
  for (const { kb, eventCount } of chosen) {
    // Rows that repeat would compress too well. The first round warms up.
    const { ranges } = makeWorkload(kb, eventCount * (options.rounds + 1))
    const inserts = ranges.map((range) => digestRange(range))
    // One process after the other: each has its own caches and its own merges.
    for (const alter of options.alter === undefined ? [undefined] : [undefined, options.alter]) {
      process.stderr.write(`${kb} KB${alter === undefined ? '' : `, ${alter}`}\n`)
      const result = await withEngine((clickhouse, cpuUs) =>
        measure(clickhouse, cpuUs, inserts, alter),
      )
      results.push({ kb, table: alter === undefined ? 'as it is' : 'altered', ...result })
    }
  }
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ sizes: results })}\n`)
    return
  }
  const lines = results.map(
    ({ kb, table, insertUs, mergeUs, bytes, parts }) =>
      `| ${kb} KB | ${table} | ${insertUs.toFixed(1)} | ${mergeUs.toFixed(1)} | ${(insertUs + mergeUs).toFixed(1)} | ${bytes.toFixed(0)} | ${parts} |`,
  )
  const columns = results.map(
    ({ kb, columns }) =>
      `${kb} KB: ${columns.map(({ column, bytes }) => `${column} ${bytes.toFixed(1)}`).join(', ')}`,
  )
  process.stdout.write(
    `${Object.values(describeMachine()).join(', ')}\n\n` +
      '| Event | Table | Insert, µs | Merges, µs | Both, µs | Bytes stored | Parts |\n' +
      '|---|---|--:|--:|--:|--:|--:|\n' +
      `${lines.join('\n')}\n\nBytes of the largest columns. ${columns.join('\n\n')}\n`,
  )
}

async function measure(
  clickhouse: ClickHouseClient,
  cpuUs: () => number,
  inserts: readonly Insert[],
  alter: string | undefined,
): Promise<Cost & Stored> {
  await migrateClickHouse(clickhouse, await readMigrations('clickhouse'))
  if (alter !== undefined) await clickhouse.command({ query: `alter table events ${alter}` })
  const store = async (round: readonly Insert[]): Promise<Cost> => {
    const eventCount = round.reduce((sum, insert) => sum + insert.eventCount, 0)
    const before = cpuUs()
    for (const insert of round)
      await insertRows(clickhouse, {
        table: 'events',
        rows: insert.eventRows,
        token: `${inserts.indexOf(insert)}`,
      })
    const inserted = cpuUs()
    await untilMerged(clickhouse)
    // A merge that runs beside an insert counts as the insert's: only the sum is exact.
    return {
      insertUs: (inserted - before) / eventCount,
      mergeUs: (cpuUs() - inserted) / eventCount,
    }
  }
  const perRound = Math.floor(inserts.length / (options.rounds + 1))
  const rounds: Cost[] = []
  for (let from = 0; from + perRound <= inserts.length; from += perRound)
    rounds.push(await store(inserts.slice(from, from + perRound)))
  rounds.shift()
  const medianOf = (key: keyof Cost) =>
    median(rounds.map((cost) => cost[key]) as [number, ...number[]])
  return {
    insertUs: medianOf('insertUs'),
    mergeUs: medianOf('mergeUs'),
    ...(await readStored(clickhouse)),
  }
}

async function untilMerged(clickhouse: ClickHouseClient): Promise<void> {
  const pauseMs = 100
  for (let quiet = 0; quiet < 3; ) {
    const [row] = await select<{ merges: string }>(
      clickhouse,
      'select toString(count()) as merges from system.merges',
    )
    quiet = row?.merges === '0' ? quiet + 1 : 0
    await sleep(pauseMs)
  }
}

async function readStored(clickhouse: ClickHouseClient): Promise<Stored> {
  const of = "where database = currentDatabase() and table = 'events' and active"
  const [sum] = await select<{ rows: number; parts: number; bytes: number }>(
    clickhouse,
    `select toFloat64(sum(rows)) as rows, toFloat64(count()) as parts, sum(bytes_on_disk) / rows as bytes from system.parts ${of}`,
  )
  if (sum === undefined) throw new Error('no parts')
  const columns = await select<{ column: string; bytes: number }>(
    clickhouse,
    `select column, sum(column_data_compressed_bytes) / ${sum.rows} as bytes from system.parts_columns ${of}
      group by column order by bytes desc limit ${columnsShown}`,
  )
  return { parts: sum.parts, bytes: sum.bytes, columns }
}

async function select<Row>(clickhouse: ClickHouseClient, query: string): Promise<Row[]> {
  return (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>()
}

async function withEngine<Result>(
  work: (clickhouse: ClickHouseClient, cpuUs: () => number) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  await chmod(dataDir, 0o711)
  const { clickhouse: password } = await readSecrets(dataDir)
  const engine = embeddedClickHouse({
    dataDir,
    port: await freePort(),
    password,
    env: inheritedEnv(),
  })
  const front = new ManagedProcess(engine.plan, {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  })
  await front.start()
  const setup = createClickHouse(engine.url.replace(/\/sluice$/, '/default'), 'sluice-bench')
  const clickhouse = createClickHouse(engine.url, 'sluice-bench')
  try {
    await setup.command({ query: 'create database sluice' })
    return await work(clickhouse, () => cpuOf(front.pid))
  } finally {
    await Promise.all([setup.close(), clickhouse.close()])
    await front.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function cpuOf(pid: number | undefined): number {
  const usage = pid === undefined ? undefined : readProcessUsage(pid)
  if (usage === undefined) throw new Error('CPU time of processes is read from /proc')
  return usage.cpuMs * 1000
}
