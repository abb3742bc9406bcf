/** The operator's view over HTTP, beside real stores and processes that are played by servers. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runMigrations } from 'graphile-worker'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { buildApp } from '../app.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import type { Target } from './processes/target.ts'

const api = apiOfThisFile()
let shop: Tenant
let blog: Tenant
let operator: PersonLogin
const root = '/api/v1/operation'
const servers: Server[] = []
const apps: ApiInstance[] = []

beforeAll(async () => {
  shop = await api().tenant('Shop')
  blog = await api().tenant('Blog')
  operator = await api().login(shop, 'owner')
  await runMigrations({ pgPool: api().pool })
})

afterAll(async () => {
  for (const app of apps) await app.close()
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

beforeEach(async () => {
  await api().pool.query('delete from dead_letters')
  await api().pool.query('delete from graphile_worker._private_jobs')
  await api().pool.query(`delete from audit_log where action ~ '^(dead_letter|job)[.]'`)
  api().time.nowMs += 61_000
})

const get = (path = '', login = operator) => api().call(`${root}${path}`, { login })
const post = (path: string, body: unknown, login = operator) =>
  api().call(`${root}${path}`, { method: 'POST', body, login })

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
    const look = () => api().call(root, { login: operator }, app)
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
    const { status, body } = await api().call(root, { login: operator }, app)
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
    await api().call(root, { login: operator }, app)
    expect(asked).toBe(1)
  })

  test('counts jobs and dead letters', async () => {
    await addJob('deliver', { attempts: 25, error: 'refused' })
    await addJob('deliver', {})
    await addJob('deliver', { dueIn: '1 hour' })
    await keep()
    await keep({ tenant: blog })
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
    ['a member of it', () => api().login(shop, 'member')],
    ['a viewer of it', () => api().login(shop, 'viewer')],
    ['an owner of another organization', () => api().login(blog, 'owner')],
  ])('%s is refused everywhere', async (_who, logIn) => {
    const login = await logIn()
    const id = await keep({ tenant: blog })
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
    expect((await api().call('/api/v1/me', { login: operator })).body.is_operator).toBe(true)
    expect((await api().call(root)).status).toBe(401)
    expect((await api().call(root, { token: shop.token })).status).toBe(401)
    const headers = { 'x-csrf-token': 'wrong' }
    const body = { all: true }
    const path = `${root}/dead-letters/delete`
    const forged = await api().call(path, { method: 'POST', login: operator, body, headers })
    expect([forged.status, forged.body.code]).toEqual([403, 'csrf_failed'])
  })
})

let sequence = 0

async function keep(kept: { tenant?: Tenant | null; bytes?: string; kind?: string | null } = {}) {
  const { tenant = shop, bytes = '{"message":"m"}', kind = 'event' } = kept
  sequence += 1
  const { rows } = await api().pool.query<{ id: number }>(
    `insert into dead_letters (partition, generation, stream_seq, record_index, project_id, reason, detail, bytes,
       kind, dsn_key_no, received_at, record_id, header)
     values (2, 1, $1, 0, $2, $3, 'a store refused it', $4, $5, 7, '2026-11-20T12:00:00.123Z', $6, '{"component":"w"}')
     returning id`,
    [
      sequence,
      tenant?.project.dsnId ?? null,
      tenant === null ? 'unreadable_frame' : 'undigestible',
      Buffer.from(bytes),
      tenant === null ? null : kind,
      'c0ffee00-0000-4000-8000-000000000000',
    ],
  )
  return rows[0]!.id
}

describe('dead letters', () => {
  test('are listed by pages without their payload', async () => {
    const first = await keep({ bytes: '{"secret":"payload"}' })
    const second = await keep({ tenant: blog })
    const frame = await keep({ tenant: null })
    const page = await get('/dead-letters?limit=2')
    expect(page.body.items).toMatchObject([
      { id: frame, reason: 'unreadable_frame', project: null, kind: null, retryable: false },
      { id: second, project: { id: blog.project.id, name: 'Blog' }, retryable: true },
    ])
    const next = await get(`/dead-letters?limit=2&cursor=${page.body.next_cursor}`)
    expect(next.body).toEqual({
      items: [
        {
          id: first,
          reason: 'undigestible',
          state: 'waiting',
          retryable: true,
          error: 'a store refused it',
          kind: 'event',
          project: { id: shop.project.id, name: 'Shop' },
          subject: 'ingest.2',
          partition: 2,
          sequence: sequence - 2,
          size_bytes: 20,
          received_at: '2026-11-20T12:00:00.123Z',
          at: expect.any(String),
        },
      ],
      next_cursor: null,
    })
    const ids = async (query: string) =>
      (await get(`/dead-letters?${query}`)).body.items.map(({ id }: { id: number }) => id)
    expect(await ids('reason=unreadable_frame')).toEqual([frame])
    expect(await ids(`project_id=${blog.project.id}`)).toEqual([second])
  })

  test('one is shown with a bounded excerpt', async () => {
    const long = JSON.stringify('é'.repeat(70_000))
    const shown = await get(`/dead-letters/${await keep({ bytes: long })}`)
    expect(shown.body).toMatchObject({
      header: { component: 'w' },
      payload: { encoding: 'text', truncated: true },
    })
    expect(shown.body.payload.excerpt).toHaveLength(65_536)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['GET',  '/dead-letters/0',                    undefined,                    404],
    ['GET',  '/dead-letters/x',                    undefined,                    404],
    ['GET',  '/dead-letters/99999999999999999999', undefined,                    404],
    ['GET',  '/dead-letters/-1',                   undefined,                    404],
    ['GET',  '/dead-letters?cursor=WyIxIl0',       undefined,                    400],
    ['GET',  '/dead-letters?cursor=WzFlOTld',      undefined,                    400],
    ['GET',  '/dead-letters?reason=x',             undefined,                    400],
    ['GET',  '/dead-letters?project_id=x',         undefined,                    400],
    ['GET',  '/dead-letters?project_id=019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10', undefined, 404],
    ['POST', '/dead-letters/delete',               {},                           400],
    ['POST', '/dead-letters/delete',               { all: false },               400],
    ['POST', '/dead-letters/delete',               { all: true, ids: [1] },      400],
    ['POST', '/dead-letters/delete',               { al: true },                 400],
    ['POST', '/dead-letters/delete',               { ids: [] },                  400],
    ['POST', '/dead-letters/delete',               { ids: [1e300] },             400],
    ['POST', '/dead-letters/delete',               { ids: Array.from({ length: 1001 }, () => 1) }, 400],
    ['POST', '/dead-letters/retry',                { ids: [999_999_999] },       404],
    ['GET',  '/jobs?cursor=WyJ4Il0',               undefined,                    400],
    ['GET',  '/jobs?cursor=WyI5OTk5OTk5OTk5OTk5OTk5OTkiXQ', undefined,           200],
    ['GET',  '/jobs?task=%00',                     undefined,                    400],
    ['POST', '/jobs/retry',                        {},                           400],
    ['POST', '/jobs/retry',                        { ids: ['999999999999999999999'] }, 400],
    ['POST', '/jobs/retry',                        { ids: ['999999999999999999'] }, 200],
    ['POST', '/jobs/retry',                        { task: `'; drop` },          200],
  ] as const)('%s %s with %j is answered %s: %i', async (method, path, body, status) => {
    const id = await keep()
    const answer = await (method === 'GET' ? get(path) : post(path, body))
    expect([answer.status, answer.body]).toEqual([status, answer.body])
    expect((await get(`/dead-letters/${id}`)).status).toBe(200)
  })

  test('are retried and deleted, with an entry in the log of each organization', async () => {
    const ofShop = await keep()
    const ofBlog = await keep({ tenant: blog })
    const frame = await keep({ tenant: null })
    const refused = await post('/dead-letters/retry', { ids: [frame] })
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
    const retried = await post('/dead-letters/retry', { ids: [ofShop, ofBlog, frame, 999_999_999] })
    expect(retried.body).toEqual({
      requested: 2,
      already_retrying: 0,
      not_retryable: 1,
      left: 0,
    })
    expect((await get(`/dead-letters/${ofBlog}`)).body.state).toBe('retrying')
    const deleted = await post('/dead-letters/delete', { all: true })
    expect(deleted.body).toEqual({ deleted: 1, retrying: 2, left: 0 })
    const { rows } = await api().pool.query(
      `select organization_id, person_id, actor, action, ip is null as hidden from audit_log
       where action like 'dead_letter.%' order by id`,
    )
    const own = {
      organization_id: shop.organizationId,
      person_id: operator.personId,
      actor: operator.email,
      hidden: false,
    }
    expect(rows).toHaveLength(3)
    expect(rows).toContainEqual({ ...own, action: 'dead_letter.retried' })
    expect(rows).toContainEqual({ ...own, action: 'dead_letter.dropped' })
    expect(rows).toContainEqual({
      organization_id: blog.organizationId,
      person_id: null,
      actor: operator.email,
      hidden: true,
      action: 'dead_letter.retried',
    })
  })

  test('of one project or reason are deleted alone', async () => {
    const ofShop = await keep()
    await keep({ tenant: blog })
    const body = { project_id: blog.project.id, reason: 'undigestible' }
    expect((await post('/dead-letters/delete', body)).body.deleted).toBe(1)
    expect((await get('/dead-letters')).body.items).toMatchObject([{ id: ofShop }])
  })
})

async function addJob(
  task: string,
  job: { attempts?: number; error?: string; dueIn?: string; locked?: boolean },
): Promise<string> {
  const { rows } = await api().pool.query<{ id: string }>(
    `select id::text from graphile_worker.add_job($1, '{"email":"person@shop.test"}',
       run_at := now() + $2::interval)`,
    [task, job.dueIn ?? '-1 second'],
  )
  const { id } = rows[0]!
  await api().pool.query(
    `update graphile_worker._private_jobs set attempts = $2, last_error = $3,
       locked_at = case when $4 then now() end where id = $1`,
    [id, job.attempts ?? 0, job.error ?? null, job.locked ?? false],
  )
  return id
}

describe('jobs', () => {
  test('that failed are listed by pages, without their payload', async () => {
    const older = await addJob('deliver', { attempts: 25, error: 'x'.repeat(5_000) })
    const newer = await addJob('import', { attempts: 25, error: 'no' })
    const retrying = await addJob('import', { attempts: 3, error: 'later', dueIn: '1 hour' })
    await addJob('import', { attempts: 25, error: 'runs', locked: true })
    await addJob('import', {})
    const page = await get('/jobs?limit=1')
    expect(page.body.items).toEqual([
      {
        id: newer,
        task: 'import',
        state: 'failed',
        attempts: 25,
        max_attempts: 25,
        error: 'no',
        created_at: expect.any(String),
        failed_at: expect.any(String),
        next_attempt_at: null,
      },
    ])
    const next = await get(`/jobs?limit=1&cursor=${page.body.next_cursor}`)
    expect(next.body.items).toMatchObject([{ id: older }])
    expect(next.body.items[0].error).toHaveLength(4_000)
    expect(next.body.next_cursor).toBeNull()
    expect(JSON.stringify(page.body)).not.toContain('person@shop.test')
    expect((await get('/jobs?state=retrying')).body.items).toMatchObject([
      { id: retrying, next_attempt_at: expect.any(String) },
    ])
    expect((await get('/jobs?task=deliver')).body.items).toMatchObject([{ id: older }])
  })

  test('get all their attempts again', async () => {
    const failed = await addJob('deliver', { attempts: 25, error: 'no' })
    const other = await addJob('import', { attempts: 25, error: 'no' })
    const running = await addJob('deliver', { attempts: 25, error: 'no', locked: true })
    const waiting = await addJob('deliver', { attempts: 2, dueIn: '1 hour' })
    const ids = [running, waiting]
    expect((await post('/jobs/retry', { ids })).body).toEqual({ requested: 0, left: 0 })
    expect((await post('/jobs/retry', { task: 'deliver' })).body).toEqual({ requested: 1, left: 0 })
    const { rows } = await api().pool.query(
      'select id::text, attempts from graphile_worker._private_jobs where attempts = 0',
    )
    expect(rows).toEqual([{ id: failed, attempts: 0 }])
    expect((await post('/jobs/retry', { all: true })).body).toEqual({ requested: 1, left: 0 })
    expect((await get('/jobs')).body.items).toEqual([])
    const entries = await api().pool.query(
      `select details -> 'ids' as ids from audit_log where action = 'job.retried' order by id`,
    )
    expect(entries.rows).toEqual([{ ids: [failed] }, { ids: [other] }])
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
  const { body } = await api().call(root, { login: operator }, app)
  expect(body.postgres).toEqual({ state: 'does not answer', reason: 'connect ECONNREFUSED' })
})
