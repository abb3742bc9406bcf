/** The operator's view over HTTP, beside real stores and processes that are played by servers. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { CodedError } from '#schemas/error-codes.ts'
import {
  operationDeskOfThisFile,
  operationRoot,
} from '../../test/fixtures/operation/operation-desk.ts'
import { buildApp } from '../app.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import type { Target } from './processes/target.ts'

const desk = operationDeskOfThisFile()
const { api, get, post, keep, addJob } = desk
const servers: Server[] = []
const apps: ApiInstance[] = []

afterAll(async () => {
  for (const app of apps) await app.close()
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function target(name: string, listener: RequestListener): Promise<Target> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { name, metricsUrl: `http://127.0.0.1:${port}/metrics` }
}

/** The API of an installation with these processes. */
async function appOf(targets: readonly Target[], parts: Partial<ApiContext> = {}) {
  const app = await buildApp({ ...api().ctx, operationTargets: async () => targets, ...parts })
  apps.push(app)
  return app
}

describe('the snapshot', () => {
  test('has the figures of the processes and of the stores', async () => {
    let requests = 0
    const workers = await target('workers', (request, response) => {
      requests += 1
      if (request.url !== '/metrics') return response.end('{}')
      return response.end(`
process_cpu_seconds_total ${requests}
process_start_time_seconds 1790000000
nodejs_eventloop_lag_mean_seconds 0.5
workers_partitions_owned 1
workers_events_digested_total ${requests * 100}
workers_lag_seconds{partition="3"} 2
workers_lag_events{partition="3"} 40
workers_seconds_since_commit{partition="3"} 0.5
workers_stream_full_ratio{stream="INGEST"} 0.25
sluice_disk_free_bytes{folder="nats:INGEST"} 750
sluice_disk_size_bytes{folder="nats:INGEST"} 1000
sluice_disk_free_bytes{folder="data"} 5e10
sluice_disk_full_seconds{folder="data"} +Inf
`)
    })
    const app = await appOf([workers], { operationStoreMs: 15_000 })
    const look = () => api().call(operationRoot, { login: desk.operator }, app)
    const first = await look()
    expect(first.status).toBe(200)
    expect(first.body.processes).toMatchObject([{ name: 'workers', kind: 'workers', rate: null }])
    const shared = await Promise.all([look(), look(), look()])
    expect(new Set(shared.map(({ body }) => body.at))).toEqual(new Set([first.body.at]))
    const requestsSeen = requests
    api().time.nowMs += 2_000
    const [second] = await Promise.all([look(), look(), look()])
    // Of the metrics and of the readiness, once for all three.
    expect(requests - requestsSeen).toBe(2)
    expect(second?.body).toMatchObject({
      processes: [
        {
          address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
          state: 'ready',
          since: '2026-09-21T14:13:20.000Z',
          event_loop_lag_seconds: 0.5,
          rate: { unit: 'events', per_second: expect.any(Number) },
        },
      ],
      partitions: [{ partition: '3', owner: 'workers', lag_seconds: 2, lag_events: 40 }],
      streams: [{ name: 'INGEST', used_bytes: 250, limit_bytes: 1000, full_ratio: 0.25 }],
      disks: [{ process: 'workers', folder: 'data', free_bytes: 5e10, full_seconds: null }],
      advice: [
        {
          code: 'process_busy',
          severity: 'warning',
          text: expect.stringContaining('0.5 s late'),
          action: 'Add another process of workers.',
          page: 'docs/scaling.md',
        },
      ],
      ingest: null,
      mail: null,
      postgres: {
        state: 'answers',
        size_bytes: expect.any(Number),
        connections: { used: expect.any(Number), limit: expect.any(Number) },
        waiting_for_locks: 0,
      },
      clickhouse: { state: 'answers', merges: expect.any(Number) },
      jobs: { state: 'answers', tasks: [], oldest_seconds: null },
      dead_letters: { state: 'answers', reasons: [] },
    })
    expect(second?.body.postgres.cache_hit_ratio).toBeGreaterThan(0)
    expect(second?.body.clickhouse.version).toMatch(/^\d+\./)
  })

  test('says which process and which store does not answer, within its limit', async () => {
    const hanging = await target('ingest', () => undefined)
    const hostile = await target('mailer', (_request, response) =>
      response.end('sluice_build_info{process="\u202emailer",version="\\n<script>"} 1\n'),
    )
    const never = new Promise<never>(() => undefined)
    let asked = 0
    const app = await appOf([hanging, hostile, { name: 'x', metricsUrl: 'http://127.0.0.1:1/' }], {
      clickhouse: {
        select: () => {
          asked += 1
          return never
        },
      },
    })
    const begun = systemClock.monotonicMs()
    const { status, body } = await api().call(operationRoot, { login: desk.operator }, app)
    // Generous, for slow machines: the requests of `top` have 1.5 s, and queries 7 s.
    expect(systemClock.monotonicMs() - begun).toBeLessThan(4_000)
    expect([status, body.processes]).toMatchObject([
      200,
      [
        { state: 'does not answer', reasons: ['no answer within 0.7 s'] },
        { version: '?<script>' },
        { state: 'does not answer' },
      ],
    ])
    expect(body.clickhouse).toEqual({ state: 'does not answer', reason: 'no answer in time' })
    expect(body.postgres.state).toBe('answers')
    api().time.nowMs += 2_000
    await api().call(operationRoot, { login: desk.operator }, app)
    expect(asked).toBe(1)
  })

  test('counts jobs and dead letters', async () => {
    await addJob('deliver', { attempts: 25, error: 'refused' })
    await addJob('deliver', {})
    await addJob('deliver', { dueIn: '1 hour' })
    await keep()
    await keep({ tenant: desk.blog })
    const { body } = await get()
    expect(body.jobs).toEqual({
      state: 'answers',
      tasks: [{ task: 'deliver', waiting: 1, running: 0, scheduled: 1, failed: 1 }],
      oldest_seconds: expect.any(Number),
    })
    expect(body.dead_letters.reasons).toMatchObject([{ reason: 'undigestible', count: 2 }])
  })

  test('without known processes there are none, and no error', async () => {
    const { body } = await get()
    expect([body.processes, body.advice]).toEqual([[], []])
  })
})

describe('only owners of the first organization', () => {
  test.each([
    ['a member of it', () => api().login(desk.shop, 'member')],
    ['a viewer of it', () => api().login(desk.shop, 'viewer')],
    ['an owner of another organization', () => api().login(desk.blog, 'owner')],
  ])('%s is refused everywhere', async (_who, logIn) => {
    const login = await logIn()
    const id = await keep({ tenant: desk.blog })
    const answers = [
      await get('', login),
      await get('/jobs', login),
      await get('/dead-letters', login),
      await get(`/dead-letters/${id}`, login),
      // Also of an invalid body.
      await post('/dead-letters/retry', { nothing: 1 }, login),
      await post('/dead-letters/delete', { all: true }, login),
      await post('/jobs/retry', { all: true }, login),
    ]
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['403 missing_role']),
    )
    expect((await api().call('/api/v1/me', { login })).body.is_operator).toBe(false)
    expect((await get(`/dead-letters/${id}`)).status).toBe(200)
  })

  test('GET /me says who it is, and others get nothing', async () => {
    expect((await api().call('/api/v1/me', { login: desk.operator })).body.is_operator).toBe(true)
    expect((await api().call(operationRoot)).status).toBe(401)
    expect((await api().call(operationRoot, { token: desk.shop.token })).status).toBe(401)
    const headers = { 'x-csrf-token': 'wrong' }
    const body = { all: true }
    const path = `${operationRoot}/dead-letters/delete`
    const forged = await api().call(path, { method: 'POST', login: desk.operator, body, headers })
    expect([forged.status, forged.body.code]).toEqual([403, 'csrf_failed'])
  })
})

test('a Postgres that does not answer is one that does not answer', async () => {
  const away = new CodedError('unavailable', { cause: new Error('connect ECONNREFUSED') })
  const { pg } = api().ctx
  const app = await appOf([], {
    pg: {
      ...pg,
      query: (text, values, name) =>
        text.includes('pg_database_size') ? Promise.reject(away) : pg.query(text, values, name),
    },
  })
  const { body } = await api().call(operationRoot, { login: desk.operator }, app)
  expect(body.postgres).toEqual({ state: 'does not answer', reason: 'connect ECONNREFUSED' })
})
