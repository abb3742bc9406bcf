import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dashed } from '#schemas/ids.ts'
import { apiOfThisFile, at, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let other: Tenant
let without: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  other = await api().tenant('Other')
  without = await api().tenant('Without', ['issues:read'])
})
// The limit is by address and minute, and all calls of this file come from one address.
beforeEach(() => {
  api().time.nowMs += 60_000
})

interface Said {
  readonly message?: string
  readonly type?: string
  readonly status?: string
  readonly minutes?: number
  readonly email?: string
  readonly archived?: boolean
  readonly path?: string
  readonly version?: string
  readonly eventId?: string
  readonly eventHash?: string
  readonly of?: Tenant
}

async function addFeedback(said: Said): Promise<string> {
  const id = randomUUID()
  await api().pool.query(
    `insert into feedback (project_id, id, message, type, status, source, path, version, event_id, event_hash, archived,
       created_at, updated_at, person_email) values ($1, $2, $3, $4, $5, 'Widget', $6, $7, $8, $9, $10, $11, $11, $12)`,
    [
      ...[(said.of ?? tenant).project.dsnId, id, said.message ?? 'It broke', said.type ?? 'Other'],
      ...[said.status ?? 'New', said.path ?? null, said.version ?? null, said.eventId ?? null],
      ...[
        said.eventHash ?? null,
        said.archived ?? false,
        at(said.minutes ?? -1),
        said.email ?? null,
      ],
    ],
  )
  return id
}

const list = (query = '', call: Parameters<ReturnType<typeof api>['of']>[2] = {}) =>
  api().of(tenant, `/feedback${query}`, call)

describe('the list', () => {
  let shop: Tenant
  const ids: Record<string, string> = {}
  const of = (query: string) => api().of(shop, `/feedback${query}`)

  beforeAll(async () => {
    shop = await api().tenant('List')
    const rows = {
      slow: { message: 'The cart is slow', type: 'Bug', minutes: -50 },
      carts: { message: 'Two carts, please', type: 'Feature', status: 'Active', minutes: -40 },
      half: { message: '50% off_today did nothing\\', type: 'Bug', minutes: -30 },
      cjk: { message: '我想要購物車功能', minutes: -20 },
      twin: { message: 'Thank you', type: 'Praise', minutes: -20 },
      away: { message: 'An old cart', type: 'Bug', archived: true, minutes: -10 },
    }
    for (const [name, said] of Object.entries(rows)) {
      ids[name] = await addFeedback({ of: shop, ...said })
    }
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no filter',               '',                           ['cjk|twin', 'cjk|twin', 'half', 'carts', 'slow']],
    ['a status',                '?status=Active',             ['carts']],
    ['a type',                  '?type=Bug',                  ['half', 'slow']],
    ['two filters',             '?type=Bug&search=cart',      ['slow']],
    ['a word by its beginning', '?search=car',                ['carts', 'slow']],
    ['two words apart',         '?search=cart+sl',            ['slow']],
    ['any case',                '?search=CART',               ['carts', 'slow']],
    ['part of a word',          '?search=hank',               ['twin']],
    ['part of a text without spaces', '?search=%E8%B3%BC%E7%89%A9', ['cjk']],
    ['a percent sign',          '?search=0%25',               ['half']],
    ['an underscore',           '?search=f_t',                ['half']],
    ['a backslash',             '?search=%5C',                ['half']],
    ['operators as text',       '?search=%26%7C!:*',          []],
    ['a blank search',          '?search=%20',                ['cjk|twin', 'cjk|twin', 'half', 'carts', 'slow']],
    ['archived ones',           '?archived=true',             ['away']],
    ['those not archived',      '?archived=0&search=cart',    ['carts', 'slow']],
    ['an unknown parameter',    '?colour=red&status=Active',  ['carts']],
    ['page two',                '?page=2&limit=2&type=Bug',   []],
    ['page three of three',     '?page=3&limit=2',            ['slow']],
    ['a page past the end',     '?page=999999999',            []],
  ])('%s', async (_name, query, names) => {
    const { status, body } = await of(query)
    expect(status).toBe(200)
    const got = body.feedback.map(({ id }: { id: string }) => id)
    const [a, b] = [ids['cjk']!, ids['twin']!].sort().reverse()
    let twins = 0
    const want = names.map((name) => (name === 'cjk|twin' ? [a, b][twins++] : ids[name]))
    expect(got).toEqual(want)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['?limit=2',           { page: 1, limit: 2, total: 5, total_pages: 3 }],
    ['',                   { page: 1, limit: 20, total: 5, total_pages: 1 }],
    ['?page=7&limit=5',    { page: 7, limit: 5, total: 5, total_pages: 1 }],
    ['?search=nobody',     { page: 1, limit: 20, total: 0, total_pages: 0 }],
  ])('%s is paged', async (query, pagination) => {
    expect((await of(query)).body.pagination).toEqual(pagination)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['page', '0'], ['page', '-1'], ['page', 'x'], ['page', ''], ['page', '1.5'],
    ['limit', '0'], ['limit', '101'], ['limit', '-5'], ['limit', 'ten'], ['limit', ''],
    ['status', 'new'], ['status', 'Done'], ['status', ''], ['type', 'bug'], ['type', 'Idea'],
    ['archived', 'maybe'], ['search', '%00'], ['search', 'x'.repeat(201)],
  ])('%s=%s is refused by name', async (field, value) => {
    const { status, body } = await list(`?${field}=${value}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'validation_failed', details: [{ field }] })
  })
})

describe('an item', () => {
  test('omits unknown fields', async () => {
    const id = await addFeedback({ message: 'Thanks', type: 'Praise', minutes: -3 })
    expect((await list(`/${id}`)).body).toEqual({
      id,
      project_id: tenant.project.id,
      message: 'Thanks',
      type: 'Praise',
      status: 'New',
      source: 'Widget',
      archived: false,
      created_at: at(-3),
      updated_at: at(-3),
    })
  })

  test('names its event, its issue, its release and its page', async () => {
    const issueId = await api().addIssue(tenant, { hashes: ['cart'] })
    const id = await addFeedback({
      path: '/cart',
      version: 'shop@1.4.0',
      eventId: dashed(hex('event')),
      eventHash: dashed(hex('cart')),
    })
    const { body } = await list(`/${id}`)
    expect(body).toMatchObject({
      path: '/cart',
      version: 'shop@1.4.0',
      event_id: hex('event'),
      issue_id: issueId,
    })
  })

  test('an archived item can be read', async () => {
    const id = await addFeedback({ archived: true })
    expect((await list(`/${id}`)).body).toMatchObject({ id, archived: true })
  })

  test('is 404 for an id of another project and for an unknown or malformed id', async () => {
    const foreign = await addFeedback({ of: other })
    for (const id of [foreign, randomUUID(), 'x', '1', encodeURIComponent("' or 1=1")]) {
      expect((await list(`/${id}`)).body.code).toBe('not_found')
    }
  })
})

describe('the right to read', () => {
  const unknown = `oat_${'A'.repeat(43)}`

  async function madeUseless(how: string): Promise<string> {
    const { token, tokenId } = await api().tenant(how)
    await api().pool.query(
      how === 'deleted'
        ? 'delete from access_tokens where id = $1'
        : `update access_tokens set ${how} = timestamptz '2020-01-01' where id = $1`,
      [tokenId],
    )
    return token
  }

  test('every invalid token gets 401 with the same text', async () => {
    const values = [
      ...['', '   ', 'x', unknown, `${tenant.token}x`, `emk_${'A'.repeat(43)}`],
      ...[await madeUseless('revoked_at'), await madeUseless('deleted')],
      await madeUseless('expires_at'),
    ]
    const bare = await api().call(`/api/v1/projects/${tenant.project.id}/feedback`)
    const answers = [bare]
    for (const token of values) answers.push(await list('', { token }))
    answers.push(await api().call(`/api/v1/projects/x/feedback?api_key=${tenant.token}`))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test('a revoked token is refused on its next call', async () => {
    const { token, tokenId, project } = await api().tenant('Revoked later')
    const read = () => api().call(`/api/v1/projects/${project.id}/feedback`, { token })
    expect((await read()).status).toBe(200)
    await api().pool.query('update access_tokens set revoked_at = now() where id = $1', [tokenId])
    expect((await read()).status).toBe(401)
  })

  test('the name of the header is case-insensitive, and its value is trimmed', async () => {
    const headers = { 'X-Api-KEY': `  ${tenant.token} ` }
    const path = `/api/v1/projects/${tenant.project.id}/feedback`
    expect((await api().call(path, { headers })).status).toBe(200)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no UUID',                  () => 'shop',                    () => tenant.token,  404, 'not_found'],
    ['no project',               () => randomUUID(),              () => tenant.token,  404, 'not_found'],
    ['the portal\'s key',        () => tenant.project.projectKey, () => tenant.token,  404, 'not_found'],
    ['another organization',     () => other.project.id,          () => tenant.token,  404, 'not_found'],
    ['a token without the scope', () => without.project.id,       () => without.token, 403, 'missing_scope'],
    ['upper case',               () => tenant.project.id.toUpperCase(), () => tenant.token, 200, undefined],
  ])('%s', async (_name, project, token, status, code) => {
    for (const path of ['', `/${randomUUID()}`]) {
      const answer = await api().call(`/api/v1/projects/${project()}/feedback${path}`, {
        token: token(),
      })
      if (status === 200 && path !== '') continue
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
  })

  test('the last use of a token is stored at most once a minute', async () => {
    const used = async () => {
      const sql = 'select last_used_at as at from access_tokens where id = $1'
      const { rows } = await api().pool.query<{ at: Date }>(sql, [tenant.tokenId])
      return rows[0]?.at.getTime()
    }
    const startMs = api().time.nowMs
    await list()
    await expect.poll(used).toBe(startMs)
    api().time.nowMs = startMs + 59_000
    await list()
    api().time.nowMs = startMs + 60_000
    await list()
    await expect.poll(used).toBe(startMs + 60_000)
  })
})

describe('the limit of calls', () => {
  test.each(['valid', 'invalid'])('the 21st %s call of a minute is refused', async (kind) => {
    const token = kind === 'valid' ? tenant.token : `oat_${'B'.repeat(43)}`
    const statuses: number[] = []
    for (let call = 0; call < 20; call += 1) statuses.push((await list('', { token })).status)
    expect(new Set(statuses)).toEqual(new Set([kind === 'valid' ? 200 : 401]))
    const refused = await list('', { token })
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers).toMatchObject({ 'retry-after': '60', 'ratelimit-remaining': '0' })
    // A valid token does not help either, and nor does the other route.
    expect((await list(`/${randomUUID()}`)).status).toBe(429)
    api().time.nowMs += 60_000
    expect((await list()).status).toBe(200)
  })

  test('each client address has its own limit, and a forged header does not change it', async () => {
    const from = (remoteAddress: string, forged: string) =>
      api().app.inject({
        url: `/api/v1/projects/${tenant.project.id}/feedback`,
        headers: { 'x-api-key': tenant.token, 'x-forwarded-for': forged },
        remoteAddress,
      })
    for (let call = 0; call < 20; call += 1) await from('192.0.2.1', `198.51.100.${call}`)
    expect((await from('192.0.2.1', '198.51.100.99')).statusCode).toBe(429)
    expect((await from('192.0.2.2', '192.0.2.1')).statusCode).toBe(200)
  })

  test('the window slides', async () => {
    for (let call = 0; call < 20; call += 1) {
      await list()
      api().time.nowMs += 1_000
    }
    expect((await list()).headers).toMatchObject({ 'retry-after': '40' })
    api().time.nowMs += 40_000
    expect([(await list()).status, (await list()).status]).toEqual([200, 429])
  })
})

describe('feedback about something', () => {
  test('is listed by its issue, its event and its person', async () => {
    const shop = await api().tenant('About')
    const issue = await api().addIssue(shop, { hashes: ['about', 'about 2'] })
    const elsewhere = await api().addIssue(other, { hashes: ['about'] })
    const eventId = hex('event')
    const first = await addFeedback({ of: shop, eventHash: dashed(hex('about')), minutes: -3 })
    const second = await addFeedback({
      of: shop,
      eventHash: dashed(hex('about 2')),
      eventId,
      email: 'Ada@Example.test',
      minutes: -2,
    })
    await addFeedback({ of: shop })
    await addFeedback({ of: other, eventHash: dashed(hex('about')), email: 'ada@example.test' })
    const ids = async (query: string) => {
      const { status, body } = await api().of(shop, `/feedback?${query}`)
      return status === 200 ? body.feedback.map(({ id }: { id: string }) => id) : status
    }
    expect(await ids(`issue_id=${issue}`)).toEqual([second, first])
    expect(await ids(`issue_id=${elsewhere}`)).toEqual([])
    expect(await ids(`event_id=${eventId}`)).toEqual([second])
    expect(await ids(`event_id=${dashed(eventId).toUpperCase()}`)).toEqual([second])
    expect(await ids('email=ada%40EXAMPLE.test')).toEqual([second])
    expect(await ids('email=ada')).toEqual([])
    expect(await ids('email=%25')).toEqual([])
    expect(await ids(`issue_id=${issue}&email=nobody@x.test`)).toEqual([])
    expect(await ids(`issue_id=${issue}&search=broke&status=New`)).toEqual([second, first])
    for (const wrong of ['issue_id=x', 'event_id=x', `email=${'x'.repeat(300)}`, 'email=']) {
      expect([wrong, await ids(wrong)]).toEqual([wrong, 400])
    }
  })
})
