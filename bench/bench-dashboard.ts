/**
 * `npm run bench:dashboard`: fills two projects, one a hundred times as large as the other, opens
 * each screen of the dashboard in both, and reports p50 and p95 of the time of its requests: idle,
 * and while ingest runs at half of the rate that this machine can keep up with. A missed target is
 * only reported, because speed depends on the machine. `npm run bench:search` opens one list per
 * field of searches instead.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { closedAfterSeconds, daySeconds } from '#schemas/releases/session-days.ts'
import { type Stack, startStack } from '../dev/stack.ts'
import { fillEvents } from './dashboard/fill-events.ts'
import { fillIssues } from './dashboard/fill-issues.ts'
import {
  type FilledProject,
  get,
  measureScreen,
  type ScreenOptions,
  type Timing,
} from './dashboard/measure-screens.ts'
import { type Screen, screens } from './dashboard/screens.ts'
import { searchScreens } from './dashboard/searches.ts'
import { startGenerator } from './load/generator.ts'
import { newRunId } from './load/run-id.ts'
import { describeMachine } from './report/machine.ts'
import { wholeNumber } from './report/parse-option.ts'
import { readProcessUsage } from './report/process-usage.ts'

interface Flags {
  readonly issues: number
  readonly events: number
  readonly smallIssues: number
  readonly smallEvents: number
  readonly rounds: number
  readonly secondsPerScreen: number
  readonly only?: string
  readonly searches: boolean
  readonly load: boolean
  readonly rate?: number
  readonly json: boolean
  readonly dataDir?: string
}

const flags = new Command('bench:dashboard')
  .description('Measure the requests of each screen in a large and a small project.')
  .option('--issues <n>', 'issues of the large project', wholeNumber(100, 1_000_000), 100_000)
  .option('--events <n>', 'its events', wholeNumber(1_000, 100_000_000), 10_000_000)
  .option('--small-issues <n>', 'issues of the small project', wholeNumber(100, 1_000_000), 1_000)
  .option('--small-events <n>', 'its events', wholeNumber(1_000, 100_000_000), 100_000)
  .option('--rounds <n>', 'how often each screen is opened', wholeNumber(3, 10_000), 40)
  .option('--seconds-per-screen <n>', 'stop a slow screen then', wholeNumber(1, 600), 5)
  .option('--only <text>', 'only screens whose name contains this')
  .option('--searches', 'one list of issues per field of searches instead', false)
  .option('--no-load', 'measure idle only')
  .option('--rate <n>', 'events per second, instead of half of the maximum', wholeNumber(1, 1e6))
  .option('--json', 'print JSON')
  .option('--data-dir <folder>', 'keep the filled stores there, and use them again')
  .parse()
  .opts<Flags>()

const p95MsMax = 300
const ratioMax = 3
const tokenCount = 100
const sampleIssues = 100
/** How long the maximum of ingest is measured. */
const maximumSeconds = 8
/** With fewer, the rate is limited by the time of a reply. */
const loadConnections = 128
const queryableMsMax = 120_000
/** Workers sum days for ten seconds a minute. */
const sumsMsMax = 900_000
/** ClickHouse merges all parts of a week within about two weeks, however many there are. */
const unmergedDays = 14

const say = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => process.stdout.write(`${line}\n`)

interface Row {
  readonly screen: string
  readonly load: 'idle' | 'half of ingest'
  readonly large: Timing
  readonly small: Timing
}

interface Measured extends Pick<Row, 'load'> {
  readonly large: FilledProject
  readonly small: FilledProject
  readonly screens: readonly Screen[]
}

interface Stores {
  readonly clickhouse: ClickHouseClient
  readonly pg: Pool
}

await main()

async function main(): Promise<void> {
  const stack = await startStack({
    services: ['ingest', 'workers', 'api'],
    answersFirst: true,
    ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
    report: {
      progress: say,
      line: () => {},
      exited: (name, how) => say(`${name} ended: ${how}`),
      broughtBack: (name) => say(`${name} is running again`),
    },
  })
  const stores: Stores = {
    clickhouse: createClickHouse(stack.urls.clickhouse, 'sluice-bench', {
      requestTimeoutMs: 600_000,
    }),
    pg: createPool(
      {
        ...{ url: stack.urls.postgres, applicationName: 'sluice-bench', connectionsMax: 2 },
        statementTimeoutMs: 600_000,
      },
      createLogger('bench', 'silent'),
    ),
  }
  try {
    const { issues, events, smallIssues, smallEvents } = flags
    const small = await openProject(stack, stores, { issues: smallIssues, events: smallEvents })
    const large = await openProject(stack, stores, { issues, events })
    await settle(stores)
    await sumSessions(stores)
    const options: ScreenOptions = {
      rounds: flags.rounds,
      secondsMax: flags.secondsPerScreen,
      tokens: await makeTokens(stores.pg),
      readCpuMs: () => cpuOf(stack),
    }
    const wanted = (
      flags.searches ? await searchScreens((path) => get(large, path, options.tokens)) : screens
    ).filter(isWanted)
    const projects = { large, small, screens: wanted }
    const rows = await measureAll({ ...projects, load: 'idle' }, options)
    const rate = flags.load ? await halfOfMaximum(stack, stores) : undefined
    if (rate !== undefined) {
      const stopLoad = await beginLoad(stack, rate)
      try {
        rows.push(...(await measureAll({ ...projects, load: 'half of ingest' }, options)))
      } finally {
        await stopLoad()
      }
    }
    report(rows, rate)
  } finally {
    await stores.clickhouse.close()
    await stores.pg.end()
    await stack.stop()
  }
}

/** Fills the project unless a former run with this data folder has. */
async function openProject(
  stack: Stack,
  { clickhouse, pg }: Stores,
  size: { issues: number; events: number },
): Promise<FilledProject> {
  const name = `${size.issues} issues, ${size.events} events`
  const find = async () => {
    const { rows } = await pg.query<{ id: string; dsn_id: string }>(
      'select id, dsn_id from projects where name = $1',
      [name],
    )
    return rows[0]
  }
  if ((await find()) === undefined) {
    const startedMs = systemClock.monotonicMs()
    const { rows } = await pg.query<{ id: string; dsn_id: string }>(
      `insert into projects (id, organization_id, name, short_name, project_key)
       select gen_random_uuid(), id, $1, $2, gen_random_uuid() from organizations limit 1 returning id, dsn_id`,
      [`filling ${name}`, `B${randomBytes(4).toString('hex').toUpperCase()}`],
    )
    const projectId = Number(rows[0]!.dsn_id)
    await fillEvents(clickhouse, { ...size, projectId, nowMs: systemClock.nowMs() }, (events) =>
      say(`${events.toLocaleString('en')} of ${size.events.toLocaleString('en')} events`),
    )
    await fillIssues({ clickhouse, pg }, { projectId })
    await pg.query('update projects set name = $1 where id = $2', [name, rows[0]!.id])
    const seconds = (systemClock.monotonicMs() - startedMs) / 1000
    say(`filled ${name} in ${seconds.toFixed(0)} s`)
  }
  const { id, dsn_id: dsnId } = (await find())!
  const ids = await pg.query<{ id: string }>(
    `select id from issues where project_id = $1 order by count desc, id desc limit 100000`,
    [dsnId],
  )
  const step = Math.max(1, Math.floor(ids.rows.length / sampleIssues))
  const latest = await pg.query<{ version: string }>(
    'select version from releases where project_id = $1 order by last_heard_at desc, version limit 1',
    [dsnId],
  )
  return {
    name,
    base: `${stack.urls.api}/api/v1/projects/${id}`,
    sample: {
      issues: ids.rows.filter((_, index) => index % step === 0).map((row) => row.id),
      latestRelease: latest.rows[0]!.version,
      issueCount: size.issues,
    },
  }
}

/** Merges, as a store that has been filled over months has done. */
async function settle({ clickhouse, pg }: Stores): Promise<void> {
  const weeks = await clickhouse.query({
    query: `select partition from system.parts
      where active and database = currentDatabase() and table = 'events'
        and max_time < now() - interval ${unmergedDays} day
      group by partition having count() > 1`,
    format: 'JSONEachRow',
  })
  for (const { partition } of await weeks.json<{ partition: string }>()) {
    say(`merging the week of ${partition}`)
    await clickhouse.command({ query: `optimize table events partition '${partition}' final` })
  }
  await pg.query('vacuum analyze')
  await pg.query('checkpoint')
  for (let quiet = 0; quiet < 3; ) {
    const result = await clickhouse.query({
      query: 'select toFloat64(count()) as merges from system.merges',
      format: 'JSONEachRow',
    })
    const [row] = await result.json<{ merges: number }>()
    quiet = row?.merges === 0 ? quiet + 1 : 0
    await sleep(500)
  }
}

/**
 * Waits until the workers have summed the sessions of closed days. They do not look again at a day
 * whose sessions are written later, as filling does.
 */
async function sumSessions({ clickhouse }: Stores): Promise<void> {
  const openDays = async () => {
    const result = await clickhouse.query({
      query: `select toFloat64(count()) as days from (
          select distinct project_id, toDate(hour) as day from sessions
          where hour < now() - interval ${closedAfterSeconds + daySeconds} second
        )
        where (project_id, day) not in (select project_id, day from session_days where width = 0)`,
      format: 'JSONEachRow',
    })
    const [row] = await result.json<{ days: number }>()
    return row?.days ?? 0
  }
  if ((await openDays()) === 0) return
  say('summing the sessions of closed days')
  await clickhouse.command({ query: 'truncate table session_days' })
  const startedMs = systemClock.monotonicMs()
  while ((await openDays()) > 0) {
    if (systemClock.monotonicMs() - startedMs > sumsMsMax) throw new Error('days are not summed')
    await sleep(1_000)
  }
}

async function makeTokens(pg: Pool): Promise<string[]> {
  const tokens = Array.from(
    { length: tokenCount },
    () => `oat_${randomBytes(32).toString('base64url')}`,
  )
  for (const token of tokens) {
    await pg.query(
      `insert into access_tokens (id, organization_id, label, prefix, token_hash, scopes)
       select gen_random_uuid(), id, 'bench', $1, $2, array['issues:read'] from organizations limit 1`,
      [token.slice(0, 10), createHash('sha256').update(token).digest()],
    )
  }
  return tokens
}

async function measureAll(
  { large, small, screens, load }: Measured,
  options: ScreenOptions,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const screen of screens) {
    const ofSmall = await measureScreen(screen, small, options)
    const ofLarge = await measureScreen(screen, large, options)
    if (ofSmall === undefined || ofLarge === undefined) continue
    rows.push({ screen: screen.name, load, large: ofLarge, small: ofSmall })
    say(
      `${load}, ${screen.name}: p95 ${ofLarge.p95Ms.toFixed(0)} ms, small ${ofSmall.p95Ms.toFixed(0)} ms`,
    )
  }
  return rows
}

function cpuOf({ services, engines }: Stack): number | undefined {
  const processes = [services.api, engines.clickhouse, engines.postgres]
  const usages = processes.map((process) => process?.pid && readProcessUsage(process.pid))
  return usages.reduce<number | undefined>(
    (sum, usage) => (sum === undefined || !usage ? undefined : sum + usage.cpuMs),
    0,
  )
}

function isWanted({ name }: Screen): boolean {
  return flags.only === undefined || name.includes(flags.only)
}

/** Events per second that are received, digested and counted, halved. */
async function halfOfMaximum(stack: Stack, { pg }: Stores): Promise<number> {
  if (flags.rate !== undefined) return flags.rate
  const counted = async () => {
    const { rows } = await pg.query<{ n: string }>(
      'select coalesce(sum(count), 0) as n from issues where project_id = $1',
      [stack.demo.dsnId],
    )
    return Number(rows[0]!.n)
  }
  const before = await counted()
  const startedMs = systemClock.monotonicMs()
  const generator = await generatorOf(stack)
  try {
    const { events } = await generator.run({
      ...target(stack),
      connections: loadConnections,
      secondsMax: maximumSeconds,
    })
    while ((await counted()) - before < events) {
      if (systemClock.monotonicMs() - startedMs > queryableMsMax) throw new Error('events are lost')
      await sleep(100)
    }
    const seconds = (systemClock.monotonicMs() - startedMs) / 1000
    say(`maximum of ingest: ${Math.round(events / seconds)} events/s`)
    return Math.round(events / seconds / 2)
  } finally {
    await generator.stop()
  }
}

/** Returns what ends the load. */
async function beginLoad(stack: Stack, ratePerSecond: number): Promise<() => Promise<void>> {
  const generator = await generatorOf(stack)
  const run = generator.run({
    ...target(stack),
    ...{ connections: loadConnections, secondsMax: 3_600, ratePerSecond },
  })
  run.catch(() => undefined)
  await sleep(3_000)
  return async () => generator.stop()
}

function generatorOf(stack: Stack) {
  return startGenerator({
    ...{ kind: '1k', seed: 1, nowMs: systemClock.nowMs(), runId: newRunId() },
    host: new URL(stack.urls.ingest).hostname,
    projectId: stack.demo.dsnId,
    publicKey: new URL(stack.demo.dsn).username,
  })
}

function target(stack: Stack): { host: string; port: number } {
  const { hostname: host, port } = new URL(stack.urls.ingest)
  return { host, port: Number(port) }
}

function report(rows: readonly Row[], rate: number | undefined): void {
  if (flags.json) {
    print(JSON.stringify({ machine: describeMachine(), flags, rate, rows }, undefined, 2))
    return
  }
  const { issues, events, smallIssues, smallEvents } = flags
  const number = (value: number) => value.toLocaleString('en')
  print(`${Object.values(describeMachine()).join(', ')}\n`)
  print(
    `Large: ${number(issues)} issues, ${number(events)} events. Small: ${number(smallIssues)} issues, ${number(smallEvents)} events.${rate === undefined ? '' : ` Load: ${number(rate)} events/s.`}\n`,
  )
  for (const load of ['idle', 'half of ingest'] as const) {
    const ofLoad = rows.filter((row) => row.load === load)
    if (ofLoad.length === 0) continue
    print(
      `| ${load} | p50, ms | p95, ms | CPU, ms | small p50 | small p95 | small CPU | ratio of p95 | |`,
    )
    print('|---|---|---|---|---|---|---|---|---|')
    for (const { screen, large, small } of ofLoad) {
      const ratio = large.p95Ms / small.p95Ms
      const missed = [
        ...(large.failed + small.failed > 0 ? ['**failed**'] : []),
        ...(large.p95Ms > p95MsMax ? [`over ${p95MsMax} ms`] : []),
        ...(ratio > ratioMax ? [`over ${ratioMax} times`] : []),
      ]
      const cells = [large, small]
        .flatMap(({ p50Ms, p95Ms, cpuMs }) => [p50Ms, p95Ms, cpuMs])
        .map((ms) => ms?.toFixed(0) ?? '')
      print(`| ${screen} | ${cells.join(' | ')} | ${ratio.toFixed(1)} | ${missed.join(', ')} |`)
    }
    print('')
  }
}
