import { SignJWT } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { enduserSecretPurpose } from '../gate/portal-directory.ts'

const api = apiOfThisFile()
let tenant: Tenant
let path: string
let ideaId: string
let formCount = 0

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  path = `/portal/${tenant.project.projectKey}`
  ideaId = await addIdea('Dark mode')
})
beforeEach(() => {
  api().time.nowMs += 61_000
})

async function addIdea(title: string, of = tenant): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    "insert into ideas (id, project_id, title, description) values ($1, $2, $3, 'At night.')",
    [id, of.project.id, title],
  )
  return id
}

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  api().app.inject({ url, headers })
const post = (url: string, fields: object, headers: Readonly<Record<string, string>> = {}) =>
  api().app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields as Record<string, string>).toString(),
  })

async function votes(id = ideaId): Promise<number> {
  const sql = 'select vote_count as count from idea_counts where idea_id = $1'
  const { rows } = await api().pool.query<{ count: number }>(sql, [id])
  return rows[0]!.count
}

describe('the permissions of a page in the browser', () => {
  test('allows only its own scripts and styles, and any frame', async () => {
    const { headers, body } = await get(path)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain('frame-ancestors *')
    expect(policy).not.toContain('unsafe')
    expect(headers['x-frame-options']).toBeUndefined()
    expect(body).not.toMatch(/<style|style="|<script>|onclick|javascript:/)
  })

  test('with a list of origins, only those may frame it', async () => {
    const listed = await api().tenant('Listed')
    await api().pool.query(
      "insert into portal_settings (project_id, allowed_origins) values ($1, '{https://a.example,https://*.b.example}')",
      [listed.project.id],
    )
    const { headers } = await get(`/portal/${listed.project.projectKey}`)
    expect(headers['content-security-policy']).toContain(
      "frame-ancestors 'self' https://a.example https://*.b.example",
    )
  })

  test('its files may be cached without limit, because their URLs change with their content', async () => {
    const { body } = await get(path)
    const files = [...body.matchAll(/(?:href|src)="(\/portal\/assets\/[^"]+)"/g)].map(
      ([, url]) => url!,
    )
    expect(files).toHaveLength(6)
    for (const url of files) {
      const { statusCode, headers } = await get(url)
      expect([statusCode, headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
    }
  })
})

describe('addresses', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['no portal',             () => `/portal/${tenant.project.id}`,   404],
    ['no UUID',               () => '/portal/shop',                   404],
    ['no idea',               () => `${path}/ideas/${uuidv7()}`,      404],
    ['a malformed idea',      () => `${path}/ideas/x`,                404],
    ['crooked filters',       () => `${path}?status=Nope&offset=-1&sort=up&tag=${'x'.repeat(300)}`, 200],
    ['upper case',            () => path.replace(/[^/]+$/, (key) => key.toUpperCase()), 200],
  ])('%s', async (_name, url, status) => {
    const { statusCode, headers, body } = await get(url())
    expect([statusCode, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(body).toContain('<!doctype html>')
  })

  test('`part=list` returns the list only', async () => {
    const { body } = await get(`${path}?part=list&search=dark`)
    expect(body).not.toContain('<html')
    expect(body).toContain('Dark mode')
  })

  test('one client address may view 600 pages a minute, then gets 429 with Retry-After', async () => {
    const viewsMax = 600
    const remoteAddress = '192.0.2.77'
    const view = () => api().app.inject({ url: `${path}?part=list&offset=20`, remoteAddress })
    const statuses = new Set<number>()
    for (let number = 1; number <= viewsMax; number += 1) statuses.add((await view()).statusCode)
    expect([...statuses]).toEqual([200])
    const refused = await view()
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.body).toContain('Too many pages were opened from your network.')
    const read = { url: `/api/v1/p/${tenant.project.projectKey}/ideas`, remoteAddress }
    expect((await api().app.inject(read)).headers['ratelimit-remaining']).toBe('119')
  })
})

describe('forms', () => {
  test('a vote sets an id as a cookie, which identifies the next vote', async () => {
    const voted = await post(`${path}/ideas/${ideaId}/vote`, {
      want: 'vote',
      back: `${path}?sort=new`,
    })
    expect([voted.statusCode, voted.headers.location]).toEqual([
      303,
      `${path}?sort=new#idea-${ideaId}`,
    ])
    expect(await votes()).toBe(1)
    const cookie = String(voted.headers['set-cookie'])
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'Max-Age=31536000',
      `Path=${path}`,
      'SameSite=Lax',
    ])
    const again = { cookie: cookie.split(';', 1)[0]! }
    expect((await get(path, again)).body).toContain('aria-pressed="true"')
    expect((await get(path)).body).not.toContain('aria-pressed="true"')
    await post(`${path}/ideas/${ideaId}/vote`, { want: 'vote' }, again)
    expect(await votes()).toBe(1)
    await post(`${path}/ideas/${ideaId}/vote`, { want: 'unvote' }, again)
    expect(await votes()).toBe(0)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['another site',      'https://evil.example/'], ['another scheme', '//evil.example'],
    ['another portal',    '/portal/other'],         ['a longer name',  ''],
    ['a line break',      '\r\nx: y'],
  ])('does not redirect outside the portal: %s', async (_name, back) => {
    const answer = await post(`${path}/ideas/${ideaId}/vote`, { back: back || `${path}x` })
    expect(answer.headers.location).toBe(`${path}#idea-${ideaId}`)
  })

  const evil = 'https://evil.example'
  const home = 'http://127.0.0.1:8031'
  // biome-ignore format: the columns are the point
  test.each([
    ['nothing said',                      {},                                                    true],
    ['its own page',                      { 'sec-fetch-site': 'same-origin' },                   true],
    ['the address bar',                   { 'sec-fetch-site': 'none' },                          true],
    ['another site',                      { 'sec-fetch-site': 'cross-site' },                    false],
    ['a sibling site',                    { 'sec-fetch-site': 'same-site' },                     false],
    ['another site, claiming our origin', { 'sec-fetch-site': 'cross-site', origin: home },      false],
    ['our origin',                        { origin: home },                                      true],
    ['our origin by another name',        { origin: 'http://localhost:8031' },                   true],
    ['the name the page was opened by',   { origin: 'https://ideas.shop.test', host: 'ideas.shop.test' }, true],
    ['the same, with its port',           { origin: 'https://ideas.shop.test', host: 'ideas.shop.test:443' }, true],
    ['another origin',                    { origin: evil },                                      false],
    ['another port of ours',              { origin: 'http://127.0.0.1:1' },                      false],
    ['a longer name than ours',           { origin: 'http://127.0.0.1:8031.evil.example' },      false],
    ['a user name before it',             { origin: 'http://127.0.0.1:8031@evil.example' },      false],
    ['no origin a page can have',         { origin: 'null' },                                    false],
    ['another scheme',                    { origin: 'file://' },                                 false],
    ['an empty origin',                   { origin: '' },                                        false],
    ['our referrer',                      { referer: `${home}/portal/x` },                       true],
    ['another referrer',                  { referer: `${evil}/?${home}` },                       false],
    ['an invalid referrer',               { referer: 'x' },                                      false],
    ['our referrer, another origin',      { origin: evil, referer: `${home}/portal/x` },         false],
  ] as const)('from %s', async (_name, headers, isTaken) => {
    formCount += 1
    const remoteAddress = `192.0.2.${formCount}`
    for (const url of [`${path}/ideas/${ideaId}/vote`, `${path}/suggest`, `${path}/ideas/${ideaId}/comments`]) {
      const answer = await api().app.inject({
        ...{ method: 'POST', url, remoteAddress },
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: 'want=vote',
      })
      expect(answer.statusCode === 403).toBe(!isTaken)
      if (isTaken) continue
      expect(answer.body).toContain('This form was sent from another site')
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('a filled hidden field and a form that is sent too fast are refused, and the text is kept', async () => {
    const form = (await get(`${path}/suggest`)).body
    const stamp = /name="stamp" value="([^"]+)"/.exec(form)![1]!
    const idea = { title: 'Blue & "green"', description: 'Both', stamp }
    const send = (fields: object) => post(`${path}/suggest`, { ...idea, ...fields })
    const quick = await send({})
    expect(quick.statusCode).toBe(400)
    expect(quick.body).toContain('The form was sent too fast.')
    expect(quick.body).toContain('value="Blue &amp; &quot;green&quot;"')
    api().time.nowMs += 3_000
    expect((await send({ website: 'https://spam.example' })).statusCode).toBe(400)
    expect((await send({ description: ' ' })).body).toContain('Please describe the idea')
    const sent = await send({})
    expect([sent.statusCode, sent.headers.location]).toEqual([
      303,
      expect.stringContaining(`${path}/ideas/`),
    ])
    expect(await votes(String(sent.headers.location).split('/').at(-1))).toBe(1)
  })
})

describe('users that the product signs', () => {
  let signed: Tenant
  let token: string
  const secret = 'c2VjcmV0IG9mIHRoZSB0ZXN0cyBvZiBlbm91Z2ggYnl0ZXM'

  beforeAll(async () => {
    signed = await api().tenant('Signed')
    const id = uuidv7()
    await api().pool.query(
      'insert into portal_settings (project_id, enduser_auth) values ($1, true)',
      [signed.project.id],
    )
    await api().pool.query(
      "insert into enduser_secrets (id, project_id, sealed_secret, prefix) values ($1, $2, $3, 'x')",
      [id, signed.project.id, api().ctx.box.seal(enduserSecretPurpose, id, secret)],
    )
    const expires = Math.floor(api().time.nowMs / 1000) + 86_400
    token = await new SignJWT({ sub: 'u-1', name: 'Ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(expires)
      .sign(Buffer.from(secret))
    await addIdea('Signed idea', signed)
  })

  test('a token in the URL moves to a cookie and identifies the visitor', async () => {
    const home = `/portal/${signed.project.projectKey}`
    const { body } = await get(home)
    expect(body).toContain('aria-disabled="true"')
    const moved = await get(`${home}?token=${token}&sort=new`)
    expect([moved.statusCode, moved.headers.location]).toEqual([303, `${home}?sort=new`])
    const cookie = String(moved.headers['set-cookie']).split(';', 1)[0]!
    const own = await get(home, { cookie })
    expect(own.body).not.toContain('aria-disabled="true"')
    const id = /ideas\/([0-9a-f-]{36})"/.exec(own.body)![1]!
    expect((await post(`${home}/ideas/${id}/vote`, {}, { cookie })).statusCode).toBe(303)
    expect((await get(home, { cookie })).body).toContain('aria-pressed="true"')
    const stranger = await post(`${home}/ideas/${id}/vote`, {})
    expect([stranger.statusCode, await votes(id)]).toEqual([400, 1])
  })

  test('in a frame, the token stays in the URL for the script', async () => {
    const home = `/portal/${signed.project.projectKey}`
    const framed = await get(`${home}?token=${token}`, { 'sec-fetch-dest': 'iframe' })
    expect(framed.statusCode).toBe(200)
    expect(framed.body).not.toContain(token)
  })
})

describe('feeds', () => {
  test('list new ideas and changes of status', async () => {
    const id = await addIdea('Ampersand & <angle>')
    await api().pool.query(
      `insert into idea_events (id, idea_id, kind, from_status, to_status, at)
       values ($1, $2, 'status', 'Open', 'Planned', '2026-11-20T10:00:00Z')`,
      [uuidv7(), id],
    )
    const fresh = await get(`${path}/new.atom`)
    expect(fresh.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    expect(fresh.body).toContain('<title>Ampersand &amp; &lt;angle&gt;</title>')
    const changes = await get(`${path}/changes.atom`)
    expect(changes.body).toContain('<title>Planned: Ampersand &amp; &lt;angle&gt;</title>')
    expect(changes.body).toContain('<updated>2026-11-20T10:00:00.000Z</updated>')
  })
})
