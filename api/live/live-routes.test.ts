/** Live updates over real connections. The tests call the poller, which runs once a second else. */
import { once } from 'node:events'
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { LiveChange } from '#schemas/rest/live.ts'
import {
  apiOfThisFile,
  at,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { buildApp } from '../app.ts'
import { createPostgres } from '../database.ts'
import { LiveHub, streamsPerHolderMax } from './live-hub.ts'
import { liveHubOf } from './live-routes.ts'

const api = apiOfThisFile()
let origin: string
let tenant: Tenant
let login: PersonLogin
const open: Client[] = []

beforeAll(async () => {
  origin = await api().app.listen({ host: '127.0.0.1', port: 0 })
  tenant = await api().tenant('Shop')
  login = await api().login(tenant, 'viewer')
})
afterEach(async () => {
  for (const client of open.splice(0)) client.close()
  await expect.poll(() => liveHubOf(api().app).size).toBe(0)
})

/** Reads the stream as a browser does, on a connection of its own. */
class Client {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Promise<string>
  text = ''
  isEnded = false
  readonly #response: IncomingMessage

  private constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    this.#response = response
    this.body = new Promise((resolve) => {
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        this.text += chunk
      })
      response.on('error', () => undefined)
      response.once('close', () => {
        this.isEnded = true
        resolve(this.text)
      })
    })
  }

  static async connect(
    query: string,
    headers: Record<string, string>,
    at = origin,
  ): Promise<Client> {
    const request = get(`${at}/api/v1/live${query}`, { headers, agent: false })
    const [response] = await once(request, 'response')
    const client = new Client(response)
    open.push(client)
    return client
  }

  get changes(): LiveChange[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
  }

  get cursor(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
  }

  /** Rows that leave a list because others enter it are named as well. */
  async has({ topic, ids }: LiveChange): Promise<void> {
    const change = { topic, ids: ids === null ? null : expect.arrayContaining(ids) }
    await expect.poll(() => this.changes).toContainEqual(change)
  }

  close(): void {
    this.#response.destroy()
  }
}

const poll = () => liveHubOf(api().app).poll()
const ofProject = (of = tenant) => `?project_id=${of.project.id}`
const asPerson = (person = login) => ({ cookie: person.cookie })

async function watch(headers: Record<string, string> = asPerson(), of = tenant): Promise<Client> {
  const client = await Client.connect(ofProject(of), headers)
  expect(client.status).toBe(200)
  return client
}

async function resolve(issueId: string): Promise<void> {
  const change = { method: 'PATCH', body: { status: 'resolved' } } as const
  expect((await api().of(tenant, `/issues/${issueId}`, change)).status).toBe(200)
}

test('the stream begins with its retry time and a cursor, uncached and unbuffered', async () => {
  const client = await watch()
  expect(client.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(client.headers['cache-control']).toBe('no-store')
  expect(client.headers['x-accel-buffering']).toBe('no')
  expect(client.headers['x-content-type-options']).toBe('nosniff')
  await expect.poll(() => client.text).toMatch(/^retry: 2000\nid: [\w-]+\.\d+\n\n$/)
})

describe('what is announced', () => {
  test('a new issue, and that there are events', async () => {
    const client = await watch()
    const id = await api().addIssue(tenant, {})
    await poll()
    await client.has({ topic: 'issues', ids: [id] })
    await client.has({ topic: 'events', ids: null })
  })

  test('an issue that a person changes, without events', async () => {
    const id = await api().addIssue(tenant, {})
    const first = await watch()
    await poll()
    const client = await watch()
    await resolve(id)
    await poll()
    first.close()
    await client.has({ topic: 'issues', ids: [id] })
    expect(client.changes.filter(({ topic }) => topic === 'events')).toEqual([])
  })

  test('a change of an issue that was seen last before all others of the list', async () => {
    const other = await api().tenant('Large')
    const id = await api().addIssue(other, { lastSeen: at(-9_000) })
    for (let count = 0; count < 60; count++) await api().addIssue(other, {})
    const client = await watch(asPerson(await api().login(other)), other)
    const comment = { method: 'POST', body: { text: 'Seen.' } } as const
    expect((await api().of(other, `/issues/${id}/comments`, comment)).status).toBe(201)
    await poll()
    await client.has({ topic: 'issues', ids: [id] })
  })

  test('more changes than a message names are null', async () => {
    for (let count = 0; count < 60; count++) await api().addIssue(tenant, {})
    const client = await watch()
    await poll()
    // In one statement: the stream also reads by itself, and must not see a part of them. The
    // order is reversed, so that issues enter and leave the list that the stream compares.
    const { dsnId } = tenant.project
    await api().pool.query(
      `update issues i set last_seen = to_timestamp(rank) from (
         select id, row_number() over (order by last_seen desc, id desc) as rank
         from issues where project_id = $1) r
       where i.id = r.id`,
      [dsnId],
    )
    await poll()
    await client.has({ topic: 'issues', ids: null })
  })

  test('nothing when nothing changed', async () => {
    await watch()
    await poll()
    const client = await watch()
    await poll()
    await poll()
    await sleep(50)
    expect(client.changes).toEqual([])
  })

  test.each([
    [
      'feedback',
      `insert into feedback (project_id, id, message, type, source, created_at, updated_at)
       values ($1, $2, 'x', 'Bug', 'Api', now(), now())`,
      'dsn',
    ],
    [
      'monitors',
      `insert into monitors (id, project_id, slug, partition_hash) values (gen_random_uuid(), $1, $2, 1)`,
      'dsn',
    ],
    [
      'releases',
      `insert into releases (project_id, version, first_event_at, last_event_at, event_count)
       values ($1, $2, now(), now(), 1)`,
      'dsn',
    ],
    [
      'alerts',
      `insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds)
       values ($2, $1, 'x', '{"when": []}', 60, 60)`,
      'dsn',
    ],
    [
      'ideas',
      `insert into ideas (id, project_id, title, description) values ($2, $1, 'x', 'x')`,
      'uuid',
    ],
    [
      'moderation',
      `insert into ideas (id, project_id, title, description, moderation)
       values ($2, $1, 'x', 'x', 'pending')`,
      'uuid',
    ],
  ] as const)('%s', async (topic, sql, key) => {
    const client = await watch()
    const id = uuidv7()
    const { dsnId, id: projectId } = tenant.project
    await api().pool.query(sql, [key === 'dsn' ? dsnId : projectId, id])
    await poll()
    await client.has({ topic, ids: [id] })
  })

  test('campaigns and imports, to people also without a project', async () => {
    const client = await Client.connect('', asPerson())
    const [campaign, entry] = [uuidv7(), uuidv7()]
    await api().pool.query(
      `insert into audit_log (id, organization_id, actor, via, action, subject_type, subject_id)
       values ($1, $2, 'x', 'login', 'campaign.changed', 'campaign', $3)`,
      [entry, tenant.organizationId, campaign],
    )
    await api().addIssue(tenant, {})
    await poll()
    await client.has({ topic: 'campaigns', ids: [campaign] })
    const topics = new Set(client.changes.map(({ topic }) => topic))
    expect([...topics]).toEqual(['campaigns'])
  })
})

describe('a client that comes back', () => {
  test('is told exactly what changed, if the process remembers it', async () => {
    const client = await watch()
    await poll()
    await expect.poll(() => client.cursor).not.toBe('')
    const { cursor } = client
    client.close()
    const id = await api().addIssue(tenant, {})
    await poll()
    for (const [query, header] of [
      ['', { 'last-event-id': cursor }],
      [`&last_event_id=${cursor}`, {}],
    ] as const) {
      const next = await Client.connect(ofProject() + query, { ...asPerson(), ...header })
      await next.has({ topic: 'issues', ids: [id] })
      expect(next.changes.filter(({ topic }) => topic === 'feedback')).toEqual([])
    }
  })

  test.each(['another.7', 'x', '.', ' ', 'a.b.c', '-1', '9'.repeat(500)])(
    'with the cursor `%s` of nobody is told that anything may have changed',
    async (cursor) => {
      const client = await Client.connect(ofProject(), { ...asPerson(), 'last-event-id': cursor })
      await client.has({ topic: 'issues', ids: null })
      expect(client.changes).toHaveLength(10)
    },
  )

  test('after a minute without listeners is told that anything may have changed', async () => {
    const client = await watch()
    await poll()
    await expect.poll(() => client.cursor).not.toBe('')
    client.close()
    await expect.poll(() => liveHubOf(api().app).size).toBe(0)
    api().time.nowMs += 61_000
    await poll()
    const next = await Client.connect(ofProject(), {
      ...asPerson(),
      'last-event-id': client.cursor,
    })
    await next.has({ topic: 'issues', ids: null })
  })
})

describe('who may listen', () => {
  test('another organization gets neither the project nor its changes', async () => {
    const other = await api().tenant('Other')
    const stranger = await api().login(other)
    for (const headers of [asPerson(stranger), { 'x-api-key': other.token }]) {
      const refused = await Client.connect(ofProject(), headers)
      expect([refused.status, JSON.parse(await refused.body).code]).toEqual([404, 'not_found'])
    }
    const client = await watch(asPerson(stranger), other)
    const own = await watch()
    const id = await api().addIssue(tenant, {})
    await poll()
    await own.has({ topic: 'issues', ids: [id] })
    expect(client.changes).toEqual([])
  })

  test('a token is notified of what its scopes may read', async () => {
    const { token } = await api().tenant('Unused', ['issues:write'])
    const refused = await Client.connect('', { 'x-api-key': token })
    expect([refused.status, JSON.parse(await refused.body).code]).toEqual([403, 'missing_scope'])
    const narrow = await api().tenant('Narrow', ['issues:read'])
    const client = await Client.connect(ofProject(narrow), {
      'x-api-key': narrow.token,
      'last-event-id': 'x',
    })
    await client.has({ topic: 'issues', ids: null })
    expect(client.changes.map(({ topic }) => topic)).toEqual([
      'issues',
      'events',
      'monitors',
      'releases',
      'alerts',
    ])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['nobody',              '',                         {},                                 401],
    ['an unknown login',    '',                         { cookie: 'sluice_login=x' },       401],
    ['an unknown token',    '',                         { 'x-api-key': 'oat_x' },           401],
    ['a project of no id',  '?project_id=x',            undefined,                          404],
    ['a long project',      `?project_id=${'x'.repeat(99)}`, undefined,                     400],
    ['a NUL',               '?project_id=%00',          undefined,                          400],
  ])('%s does not', async (_who, query, headers, status) => {
    const client = await Client.connect(query, headers ?? asPerson())
    expect(client.status).toBe(status)
    expect(JSON.parse(await client.body)).toHaveProperty('code')
  })
})

describe('a stream ends', () => {
  // biome-ignore format: the columns are the point
  const endings = [
    ['the person logs out',        'delete from logins where person_id = $1'],
    ['the login expires',          `update logins set expires_at = '2020-01-01' where person_id = $1`],
    ['the login is unused',        `update logins set last_used_at = '2020-01-01' where person_id = $1`],
    ['the person is removed',      'delete from memberships where person_id = $1'],
    ['the role changes',           `update memberships set role = 'owner' where person_id = $1`],
  ] as const
  test.each(endings)('when %s, before it tells anything more', async (_when, sql) => {
    const person = await api().login(tenant, 'member')
    const client = await watch(asPerson(person))
    await api().pool.query(sql, [person.personId])
    await api().addIssue(tenant, {})
    await poll()
    await expect.poll(() => client.isEnded).toBe(true)
    expect(client.changes).toEqual([])
  })

  test('when the token is revoked', async () => {
    const other = await api().tenant('Revoked')
    const client = await watch({ 'x-api-key': other.token }, other)
    await api().pool.query('update access_tokens set revoked_at = now() where id = $1', [
      other.tokenId,
    ])
    await poll()
    await expect.poll(() => client.isEnded).toBe(true)
  })

  test('when the project is deleted', async () => {
    const other = await api().tenant('Deleted')
    const client = await watch({ 'x-api-key': other.token }, other)
    await api().pool.query('delete from projects where id = $1', [other.project.id])
    await poll()
    await expect.poll(() => client.isEnded).toBe(true)
  })

  test('and not by itself', async () => {
    const client = await watch()
    await poll()
    liveHubOf(api().app).keepAlive()
    await expect.poll(() => client.text).toMatch(/: keepalive\nid: [\w-]+\.\d+\n\n$/)
    expect(client.isEnded).toBe(false)
  })
})

test('one login has a bounded number of streams, and a closed one makes room', async () => {
  const person = await api().login(tenant)
  const clients = []
  for (let count = 0; count < streamsPerHolderMax; count++) {
    clients.push(await watch(asPerson(person)))
  }
  const refused = await Client.connect(ofProject(), asPerson(person))
  expect([refused.status, JSON.parse(await refused.body).code]).toEqual([429, 'too_many_streams'])
  // Other logins are not concerned.
  await watch()
  clients[0]!.close()
  await expect.poll(() => liveHubOf(api().app).size).toBe(streamsPerHolderMax)
  await watch(asPerson(person))
})

test('when Postgres does not respond, streams stay, and what changed follows', async () => {
  let isAway = false
  const postgres = createPostgres(api().pool)
  const hub = new LiveHub({
    clock: api().ctx.clock,
    pg: {
      ...postgres,
      query: (text, values, name) => {
        if (isAway) return Promise.reject(new Error('away'))
        return postgres.query(text, values, name)
      },
    },
  })
  const stream = await hub.open({
    holder: { type: 'token', id: tenant.tokenId },
    organizationId: tenant.organizationId,
    project: tenant.project,
    topics: new Set(['issues']),
    lastCursor: undefined,
  })
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  isAway = true
  const id = await api().addIssue(tenant, {})
  await expect(hub.poll()).rejects.toThrow('away')
  expect(stream.destroyed).toBe(false)
  isAway = false
  await hub.poll()
  await expect.poll(() => text).toContain(id)
  hub.close()
  await expect.poll(() => stream.destroyed).toBe(true)
  expect(hub.size).toBe(0)
})

test('closing the API ends the streams at once', async () => {
  const app = await buildApp(api().ctx)
  const client = await Client.connect(
    '',
    asPerson(),
    await app.listen({ host: '127.0.0.1', port: 0 }),
  )
  await app.close()
  expect(await client.body).toContain('retry: 2000')
})
