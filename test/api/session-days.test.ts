/**
 * Sums of days and single sessions give the same release health: for random sessions, periods and
 * days that are summed, after late sessions, crashes of the task and concurrent runs.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { dashed } from '#schemas/ids.ts'
import { closedAfterSeconds, daySeconds } from '#schemas/releases/session-days.ts'
import { createClickHouseReader, createPostgres } from '../../api/database.ts'
import { readSessions } from '../../api/releases/release-health-store.ts'
import type { SessionLookup, SessionSums } from '../../api/releases/session-sums.ts'
import { SessionDays } from '../../workers/release-health/session-days/roll-session-days.ts'
import { reportLateSessions } from '../../workers/release-health/session-days/stale-session-day-store.ts'
import type { SessionRelease } from '../../workers/release-health/session-tally.ts'
import { usePostgres } from '../fixtures/processes/use-postgres.ts'
import { addProject } from '../fixtures/workers/add-project.ts'

let clickhouse: ClickHouseClient
let url: string
let pg: Pool
/** The newest day that is closed, in days since 1970. */
let closedDay: number

usePostgres((fixture) => {
  pg = fixture.pg
  url = fixture.stores.clickhouseUrl
  clickhouse ??= createClickHouse(url, 'test')
})

beforeAll(() => {
  closedDay = Math.floor((Date.now() / 1000 - closedAfterSeconds) / daySeconds) - 1
})

afterAll(async () => {
  await clickhouse?.close()
})

const hourMs = 3_600_000
const hostile = [
  `'; drop table x --`,
  '\u202e<script>',
  `a\\'\u0001"`,
  'ü'.repeat(200),
  '{step:UInt32}',
]
const releases = ['shop@1', 'shop@2', ...hostile]
const environments = ['production', 'staging', `it's`]

interface Update {
  readonly session: number
  readonly status: number
  readonly errored: number
  readonly durationMs: number
}

const update: fc.Arbitrary<Update> = fc.record({
  session: fc.nat(40),
  status: fc.nat(4),
  errored: fc.nat(1),
  durationMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2_592_000_000 })),
})

/** Fields that are the same in every update of a session. */
function factsOf(session: number) {
  const user = session % 4 === 0 ? 0 : 1_000 + (session % 7)
  return {
    sid: dashed((session + 1).toString(16).padStart(32, '0')),
    user,
    // A user of sessions that came as sums.
    weight: user !== 0 && session % 5 === 0 ? 0 : 1,
    release: releases[session % releases.length]!,
    environment: environments[session % environments.length]!,
    /** Over four days around the newest closed one, more of them before it. */
    second: (closedDay - 2) * daySeconds + ((session * 7) % 96) * 3_600,
  }
}

async function store(projectId: ProjectId, updates: readonly Update[]): Promise<void> {
  if (updates.length === 0) return
  await clickhouse.insert({
    table: 'sessions',
    format: 'JSONEachRow',
    values: updates.map(({ session, status, errored, durationMs }) => {
      const { sid, user, weight, release, environment, second } = factsOf(session)
      return {
        project_id: projectId,
        hour: second,
        release,
        environment,
        sid,
        status,
        errored,
        weight,
        user_hash: user,
        duration_ms: status === 1 && weight === 1 ? durationMs : 0,
        retention_days: 3_000,
      }
    }),
  })
}

function sessionDays(client: ClickHouseClient = clickhouse): SessionDays {
  const log = { warn: (fields: { err: Error }) => failures.push(fields.err.message) }
  return new SessionDays({ pg, clickhouse: client, clock: systemClock, log: log as never })
}
const noDetails = { users: 0, crashedUsers: 0, durationMs: undefined }
const failures: string[] = []
const running = new AbortController().signal

/** `from`: all sessions one by one, as if no day were summed. */
function read(
  lookup: SessionLookup,
  from: 'sessions' | 'sums',
): Promise<(version: string, second?: number) => SessionSums> {
  const stores = { clickhouse: createClickHouseReader(clickhouse), pg: createPostgres(pg) }
  return readSessions(stores, { ...lookup, isRecent: from === 'sessions' })
}

function countsOf({ durationMs, ...counts }: SessionSums) {
  return {
    ...counts,
    mean: durationMs === undefined ? undefined : Math.round(durationMs.mean * 100),
  }
}

async function select<Row>(query: string): Promise<Row[]> {
  const result = await clickhouse.query({ query, format: 'JSONEachRow' })
  return result.json<Row>()
}

const periodOfAll = () => ({
  sinceMs: (closedDay - 20) * daySeconds * 1000,
  untilMs: (closedDay + 20) * daySeconds * 1000,
})

async function totalsOf(projectId: ProjectId): Promise<readonly SessionSums[]> {
  const lookup = {
    projectId,
    versions: undefined,
    environment: undefined,
    stepSeconds: undefined,
    ...periodOfAll(),
  }
  return [(await read(lookup, 'sums'))(''), (await read(lookup, 'sessions'))('')]
}

async function versionsOf(projectId: ProjectId): Promise<number> {
  const [row] = await select<{ n: string }>(
    `select uniqExact(day, version) as n from session_days where project_id = ${projectId} and width = 0`,
  )
  return Number(row!.n)
}

const calm = (sessions: readonly number[]): Update[] =>
  sessions.map((session) => ({ session, status: 1, errored: 0, durationMs: 1_000 * (session + 1) }))

describe('release health from sums of days', () => {
  test('is that of the single sessions', async () => {
    let summedReads = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(update, { maxLength: 120 }),
        fc.array(update, { maxLength: 10 }),
        fc.array(
          fc.record({
            since: fc.integer({ min: -5, max: 100 }),
            hours: fc.integer({ min: 1, max: 110 }),
            step: fc.constantFrom(undefined, 3_600, daySeconds),
            environment: fc.constantFrom(undefined, ...environments),
            versions: fc.constantFrom(undefined, releases, releases.slice(1, 3)),
          }),
          { minLength: 4, maxLength: 4 },
        ),
        async (updates, late, lookups) => {
          const projectId = await addProject(pg)
          await clickhouse.command({ query: 'truncate table session_days' })
          await store(projectId, updates.slice(0, updates.length / 2))
          await store(projectId, updates.slice(updates.length / 2))
          await sessionDays().run(running)
          await store(projectId, late)
          await inTransaction(pg, (client) =>
            reportLateSessions(
              client,
              late.map(({ session }) => {
                const { release, second } = factsOf(session)
                return {
                  projectId,
                  version: release,
                  firstSecond: second,
                  lastSecond: second,
                } as SessionRelease
              }),
            ),
          )
          await sessionDays().run(running)
          if ((await versionsOf(projectId)) > 0) summedReads += 1
          for (const { since, hours, step, environment, versions } of lookups) {
            const sinceMs = (closedDay - 2) * daySeconds * 1000 + since * hourMs
            const lookup = {
              projectId,
              versions,
              environment,
              sinceMs,
              untilMs: sinceMs + hours * hourMs,
              stepSeconds: step,
            }
            const [sums, single] = [await read(lookup, 'sums'), await read(lookup, 'sessions')]
            const short = await read({ ...lookup, countsOnly: true }, 'sums')
            const width = step ?? 0
            const first = width === 0 ? 0 : Math.floor(sinceMs / 1000 / width) * width
            const ends =
              width === 0
                ? [0]
                : Array.from(
                    { length: Math.ceil((hours * 3_600) / width) + 2 },
                    (_, i) => first + i * width,
                  )
            for (const version of versions ?? ['']) {
              for (const at of ends) {
                expect(countsOf(sums(version, at))).toEqual(countsOf(single(version, at)))
                const { users, crashedUsers, durationMs, ...counts } = sums(version, at)
                expect(short(version, at)).toEqual({ ...counts, ...noDetails })
                expectNear(
                  sums(version, at),
                  durations([...updates, ...late], { lookup, version, at, width }),
                )
              }
            }
          }
        },
      ),
      { numRuns: 12, seed: 7 },
    )
    expect(summedReads).toBeGreaterThan(8)
    expect(failures).toEqual([])
  })

  test('counts late sessions after the next run, and never twice', async () => {
    const projectId = await addProject(pg)
    await clickhouse.command({ query: 'truncate table session_days' })
    await store(projectId, calm([1, 2, 3]))
    await sessionDays().run(running)
    await store(projectId, calm([1, 14]))
    const { release, second } = factsOf(14)
    expect((await totalsOf(projectId)).map(({ sessions }) => sessions)).toEqual([3, 4])
    const late = { projectId, version: release, firstSecond: second, lastSecond: second }
    await inTransaction(pg, (client) => reportLateSessions(client, [late as SessionRelease]))
    await sessionDays().run(running)
    expect((await totalsOf(projectId)).map(({ sessions }) => sessions)).toEqual([4, 4])
    expect(
      (await pg.query('select from stale_session_days where project_id = $1', [projectId]))
        .rowCount,
    ).toBe(0)
  })

  test('is right after the task was killed at any statement', async () => {
    for (const kill of ['before', 'after'] as const) {
      for (let call = 1; call <= 4; call += 1) {
        const projectId = await addProject(pg)
        await store(projectId, calm([1, 2, 4, 8, 12]))
        await clickhouse.command({ query: 'truncate table session_days' })
        await sessionDays(killedAt(call, kill))
          .run(running)
          .catch(() => undefined)
        const killed = await totalsOf(projectId)
        expect(countsOf(killed[0]!)).toEqual(countsOf(killed[1]!))
        await sessionDays().run(running)
        const [sums, single] = await totalsOf(projectId)
        expect([kill, call, countsOf(sums!)]).toEqual([kill, call, countsOf(single!)])
        expect(await versionsOf(projectId)).toBeGreaterThan(0)
      }
    }
  })

  test('is right while several processes sum the same days', async () => {
    const projectId = await addProject(pg)
    await store(projectId, calm(Array.from({ length: 40 }, (_, index) => index)))
    await clickhouse.command({ query: 'truncate table session_days' })
    const runs = Promise.all([1, 2, 3].map(() => sessionDays().run(running)))
    for (let round = 0; round < 10; round += 1) {
      const [sums, single] = await totalsOf(projectId)
      expect(countsOf(sums!)).toEqual(countsOf(single!))
    }
    await runs
    const [sums, single] = await totalsOf(projectId)
    expect(countsOf(sums!)).toEqual(countsOf(single!))
  })

  test('is right when sums disappear during a request', async () => {
    const projectId = await addProject(pg)
    await clickhouse.command({ query: 'truncate table session_days' })
    await store(projectId, calm([1, 2, 4, 8, 12]))
    await sessionDays().run(running)
    expect(await versionsOf(projectId)).toBeGreaterThan(1)
    const reader = createClickHouseReader(clickhouse)
    const lookup = {
      projectId,
      versions: undefined,
      environment: undefined,
      stepSeconds: undefined,
      ...periodOfAll(),
    }
    let reads = 0
    const deleting = {
      select: async <Row>(sql: string, parameters: Readonly<Record<string, unknown>>) => {
        reads += 1
        if (reads === 2) {
          await clickhouse.command({
            query: `alter table session_days delete where project_id = ${projectId} and day = toDate(${closedDay})`,
            clickhouse_settings: { mutations_sync: '2' },
          })
        }
        return reader.select<Row>(sql, parameters)
      },
    }
    const sums = await readSessions({ clickhouse: deleting, pg: createPostgres(pg) }, lookup)
    expect(sums('').sessions).toBe(5)
    expect(reads).toBe(4)
  })

  test('of a day with more releases than can be summed stays that of the sessions', async () => {
    const projectId = await addProject(pg)
    await clickhouse.command({
      query: `insert into sessions (project_id, hour, release, environment, sid, weight, retention_days)
        select ${projectId}, toDateTime(${closedDay * daySeconds}, 'UTC'), toString(number), 'production',
          generateUUIDv4(), 1, 3000 from numbers(6000)`,
    })
    await clickhouse.command({ query: 'truncate table session_days' })
    await sessionDays().run(running)
    expect(await versionsOf(projectId)).toBe(0)
    expect((await totalsOf(projectId)).map(({ sessions }) => sessions)).toEqual([6_000, 6_000])
  })

  test('takes periods that end in any year', async () => {
    const projectId = await addProject(pg)
    await store(projectId, calm([1, 2]))
    await sessionDays().run(running)
    for (const untilMs of [8.64e15, Date.UTC(2149, 5, 8), Date.UTC(2106, 1, 8)]) {
      const lookup = {
        projectId,
        versions: undefined,
        environment: undefined,
        stepSeconds: undefined,
        sinceMs: 0,
        untilMs,
      }
      const [sums, single] = [await read(lookup, 'sums'), await read(lookup, 'sessions')]
      expect(countsOf(sums(''))).toEqual(countsOf(single('')))
    }
  })
})

test('the rows of a day are one part', async () => {
  const projectId = await addProject(pg)
  await clickhouse.command({
    query: `insert into sessions (project_id, hour, release, environment, sid, user_hash, weight, retention_days)
      select ${projectId}, toDateTime(${(closedDay - 1) * daySeconds}, 'UTC') + 3600 * (number % 23),
        toString(number % 4900), 'production', generateUUIDv4(), number + 1, 1, 3000 from numbers(150000)`,
  })
  await clickhouse.command({ query: 'truncate table session_days' })
  await clickhouse.command({ query: 'system stop merges session_days' })
  try {
    await sessionDays().run(running)
    const parts = await select<{ part: string; n: string }>(
      `select _part as part, count() as n from session_days where project_id = ${projectId} group by part`,
    )
    expect(parts.map(({ n }) => Number(n) > 100_000)).toEqual([true])
  } finally {
    await clickhouse.command({ query: 'system start merges session_days' })
  }
  expect((await totalsOf(projectId)).map(({ sessions }) => sessions)).toEqual([150_000, 150_000])
  const [sums] = await totalsOf(projectId)
  expect(Math.abs(sums!.users / 150_000 - 1)).toBeLessThan(0.02)
})

/** A client whose process is killed before or after a statement that writes. */
function killedAt(call: number, kill: 'before' | 'after'): ClickHouseClient {
  let calls = 0
  return new Proxy(clickhouse, {
    get(target, name) {
      const method = Reflect.get(target, name)
      if (name !== 'command') return typeof method === 'function' ? method.bind(target) : method
      return async (statement: Parameters<ClickHouseClient['command']>[0]) => {
        calls += 1
        if (calls > call) throw new Error('killed')
        if (calls === call && kill === 'before') throw new Error('killed before')
        const result = await target.command(statement)
        if (calls === call) throw new Error('killed after')
        return result
      }
    },
  })
}

interface Place {
  readonly lookup: SessionLookup
  readonly version: string
  readonly at: number
  readonly width: number
}

/** Of sessions that have exited, ascending. */
function durations(updates: readonly Update[], { lookup, version, at, width }: Place): number[] {
  const bySession = new Map<number, { status: number; durationMs: number }>()
  for (const { session, status, durationMs } of updates) {
    const { release, environment, second, weight } = factsOf(session)
    if (second * 1000 < lookup.sinceMs || lookup.untilMs <= second * 1000) continue
    if (lookup.environment !== undefined && environment !== lookup.environment) continue
    if (version !== '' && release !== version) continue
    if (width !== 0 && Math.floor(second / width) * width !== at) continue
    const before = bySession.get(session) ?? { status: 0, durationMs: 0 }
    bySession.set(session, {
      status: Math.max(before.status, status),
      durationMs: Math.max(before.durationMs, status === 1 && weight === 1 ? durationMs : 0),
    })
  }
  return [...bySession.values()]
    .filter((one) => one.status === 1 && one.durationMs > 0)
    .map((one) => one.durationMs)
    .sort((a, b) => a - b)
}

/** Within 1 percent of one of the two durations around the rank, or between them. */
function expectNear({ durationMs }: SessionSums, sorted: readonly number[]): void {
  expect(durationMs === undefined).toBe(sorted.length === 0)
  if (durationMs === undefined) return
  for (const [value, share] of [
    [durationMs.p50, 0.5],
    [durationMs.p95, 0.95],
  ] as const) {
    const rank = (sorted.length - 1) * share
    expect(value).toBeGreaterThanOrEqual(sorted[Math.floor(rank)]! * 0.989)
    expect(value).toBeLessThanOrEqual(sorted[Math.ceil(rank)]! * 1.011)
  }
}
