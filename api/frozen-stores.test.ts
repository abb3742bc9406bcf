/**
 * Every operation of the API while a store hangs: it answers within 10 s, with 503 or as usual. All
 * operations are called at once.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { FlakyLink } from '../test/faults/flaky-link.ts'
import { ApiDocument, type Operation, type Parameter } from '../test/fixtures/api-document.ts'
import { apiOfThisFile } from '../test/fixtures/api-fixture.ts'
import { credentialsOf, fillTenant, makeSide, type Side } from '../test/fixtures/filled-tenant.ts'
import { buildApp } from './app.ts'
import type { ApiContext } from './context.ts'
import { createClickHouseReader, createPostgres, type Database, type Postgres } from './database.ts'
import type { ApiInstance } from './http/route.ts'

/** The promise to clients. */
const answerMsMax = 10_000
/**
 * A file that has begun in time is cut off when one of its queries hangs: each may take as long as
 * a whole request.
 */
const cutMsMax = 2 * answerMsMax
/** A request that takes longer hangs. */
const hangMs = 30_000
const log = createLogger('test', 'silent')

const api = apiOfThisFile()
let round = 0
let links: { postgres: FlakyLink; clickhouse: FlakyLink }
let linkedPool: Pool
let linked: Pick<ApiContext, 'pg' | 'clickhouse'>
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  // Opens the embedded engine.
  await api().ctx.clickhouse.select('select 1', {})
  const { postgresUrl, clickhouseUrl } = api().stores
  links = {
    postgres: await FlakyLink.open('postgres', addressOf(postgresUrl)),
    clickhouse: await FlakyLink.open('clickhouse', addressOf(clickhouseUrl)),
  }
  linkedPool = poolAt(through(links.postgres, postgresUrl), 10)
  const clickhouse = createClickHouse(through(links.clickhouse, clickhouseUrl), 'test')
  linked = { pg: createPostgres(linkedPool), clickhouse: createClickHouseReader(clickhouse) }
  closing.push(() => clickhouse.close())
})

afterAll(async () => {
  links.postgres.heal()
  links.clickhouse.heal()
  await Promise.all(closing.map((close) => close()))
  await Promise.all([links.postgres.close(), links.clickhouse.close()])
})

interface Answered {
  readonly operation: string
  /** A file whose first bytes were sent is cut off, so that no client takes it for complete. */
  readonly status: number | 'cut off' | 'hangs'
  readonly ms: number
  readonly retryAfter: unknown
}

describe('while Postgres is frozen', () => {
  test('its open connections hang', async () => {
    await Promise.all(Array.from({ length: 10 }, () => linkedPool.query('select pg_sleep(0.05)')))
    const answers = await answersDuring({ pg: linked.pg }, () =>
      links.postgres.trouble({ kind: 'stall' }),
    )
    expectInTime(answers)
    // Not among them: pages and operations that fail before they need a store.
    expect(countOf(answers, 503)).toBeGreaterThan(answers.length * 0.9)
  })

  test('new connections hang', async () => {
    links.postgres.trouble({ kind: 'stall' })
    const pool = poolAt(through(links.postgres, api().stores.postgresUrl), 10)
    const answers = await answersDuring({ pg: createPostgres(pool) }, () => undefined)
    expectInTime(answers)
    expect(countOf(answers, 503)).toBeGreaterThan(answers.length * 0.9)
  })

  test.each([1, 3])('it froze after %d queries of the request', async (passing) => {
    links.postgres.trouble({ kind: 'stall' })
    const live = createPostgres(poolAt(api().stores.postgresUrl, 40))
    const answers = await answersDuring({ pg: freezing(live, linked.pg) }, () => undefined, passing)
    expectInTime(answers)
    expect(countOf(answers, 503)).toBeGreaterThan(20)
  })

  test('a transaction that hangs ends, and its connection is not used again', async () => {
    const pool = poolAt(through(links.postgres, api().stores.postgresUrl), 1)
    const startedMs = systemClock.monotonicMs()
    const work = createPostgres(pool).transaction(async (client) => {
      await client.query('select 1')
      links.postgres.trouble({ kind: 'stall' })
      await client.query('select 2')
    })
    await expect(work).rejects.toMatchObject({ code: 'unavailable' })
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(answerMsMax)
    links.postgres.heal()
    expect((await createPostgres(pool).query('select 3 as n')).rows).toEqual([{ n: 3 }])
  })
})

test('while ClickHouse is frozen, what needs it is 503 in time, and the rest is as usual', async () => {
  links.postgres.heal()
  const answers = await answersDuring({ clickhouse: linked.clickhouse }, () =>
    links.clickhouse.trouble({ kind: 'black_hole' }),
  )
  links.clickhouse.heal()
  expectInTime(answers)
  const unavailable = answers.filter(({ status }) => status === 503)
  const names = unavailable.map(({ operation }) => operation)
  expect(names).toContain('GET /api/v1/projects/{project_id}/outcomes')
  expect(countOf(answers, 200)).toBeGreaterThan(40)
})

function expectInTime(answers: readonly Answered[]): void {
  expect(answers.length).toBeGreaterThan(150)
  const wrong = answers.filter(
    ({ operation, status, ms, retryAfter }) =>
      (status === 'cut off' ? cutMsMax : answerMsMax) <= ms ||
      status === 500 ||
      (status === 503 && !retryAfter) ||
      (status === 'cut off' && !/export|\.csv|download/.test(operation)),
  )
  expect(wrong).toEqual([])
}

function countOf(answers: readonly Answered[], wanted: Answered['status']): number {
  return answers.filter(({ status }) => status === wanted).length
}

/** Calls every operation at once, and those that end a login or delete something afterwards. */
async function answersDuring(
  stores: Partial<Pick<ApiContext, 'pg' | 'clickhouse'>>,
  freeze: () => void,
  passing = 0,
): Promise<Answered[]> {
  // Of its own, because the operations delete and change most of it.
  round += 1
  // Past the rate limits of the former round.
  api().time.nowMs += 60_000
  const side = await makeSide(api(), `frozen ${round}`)
  const tenant = { side, ids: await fillTenant(api(), side, `frozen-${round}`) }
  const { storeMsMax: _, ...ctx } = api().ctx
  const app = await buildApp({ ...ctx, ...stores })
  const { operations } = new ApiDocument(app)
  const isLast = ({ method, name }: Operation) => method === 'DELETE' || name.endsWith('/logout')
  freeze()
  const call = (operation: Operation, index: number) =>
    passingQueries.run({ left: passing }, () => answerOf(app, { operation, index, ...tenant }))
  const first = await Promise.all(operations.filter((each) => !isLast(each)).map(call))
  const last = await Promise.all(operations.filter(isLast).map(call))
  links.postgres.heal()
  await app.close()
  return [...first, ...last]
}

interface TestCall {
  readonly operation: Operation
  readonly index: number
  readonly side: Side
  readonly ids: ReadonlyMap<string, string>
}

async function answerOf(
  app: ApiInstance,
  { operation, index, side, ids }: TestCall,
): Promise<Answered> {
  const startedMs = systemClock.monotonicMs()
  const { login, token, headers } = credentialsOf(side, operation.security)
  let isCut = false
  const answer = app.inject({
    method: operation.method,
    url: urlOf(operation, ids),
    // Another address for each, because of the rate limits.
    remoteAddress: `2001:db8:${index.toString(16)}::1`,
    headers: {
      ...(login === undefined ? {} : { cookie: login.cookie, 'x-csrf-token': login.csrf }),
      ...(token === undefined ? {} : { 'x-api-key': token }),
      ...headers,
    },
    ...(operation.example === undefined ? {} : { payload: operation.example as object }),
  })
  const reply = await Promise.race([
    answer.catch(() => {
      isCut = true
    }),
    sleep(hangMs, undefined, { ref: false }),
  ])
  return {
    operation: operation.name,
    status: reply?.statusCode ?? (isCut ? 'cut off' : 'hangs'),
    ms: systemClock.monotonicMs() - startedMs,
    retryAfter: reply?.headers['retry-after'],
  }
}

function urlOf({ template, parameters }: Operation, ids: ReadonlyMap<string, string>): string {
  const parts = template.split('/')
  const path = template.replace(/\{(.+?)\}/g, (all, name: string) =>
    encodeURIComponent(ids.get(name) ?? ids.get(parts[parts.indexOf(all) - 1] ?? '') ?? 'x'),
  )
  const query = parameters
    .filter((each) => each.in === 'query' && each.required === true)
    .map((each) => `${each.name}=${encodeURIComponent(String(sampleOf(each)))}`)
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

function sampleOf({ schema }: Parameter): unknown {
  return schema.example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? 'x'
}

const passingQueries = new AsyncLocalStorage<{ left: number }>()

/** Sends the first queries of each request to one store, and the others to one that hangs. */
function freezing(live: Postgres, frozen: Postgres): Postgres {
  const passes = () => {
    const request = passingQueries.getStore()
    if (request === undefined) return true
    request.left -= 1
    return 0 <= request.left
  }
  const over = (database: Database): Database => ({
    query: (...query) => (passes() ? database : frozen).query(...query),
  })
  return { ...over(live), transaction: (work) => live.transaction((client) => work(over(client))) }
}

function poolAt(url: string, connectionsMax: number): Pool {
  const pool = createPool({ url, applicationName: 'test', connectionsMax }, log)
  closing.push(() => pool.end())
  return pool
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

function through(link: FlakyLink, url: string): string {
  const linkUrl = new URL(url)
  linkUrl.hostname = '127.0.0.1'
  linkUrl.port = String(link.port)
  return linkUrl.href
}
