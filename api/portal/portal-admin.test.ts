import { SignJWT } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type Call } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let addresses = 0

async function portal(name: string) {
  const tenant = await api().tenant(name)
  const login = await api().login(tenant)
  const admin = (path: string, call: Call = {}) =>
    api().call(`/api/v1/admin/portal/${tenant.project.id}${path}`, { login, ...call })
  const at = (path: string, call: Call = {}) => {
    addresses += 1
    const url = `/api/v1/p/${tenant.project.projectKey}${path}`
    return api().call(url, { address: `10.3.0.${addresses}`, ...call })
  }
  return { tenant, login, admin, at }
}

const patch = (body: unknown): Call => ({ method: 'PATCH', body })
const post = (body: unknown = {}): Call => ({ method: 'POST', body })

describe('settings', () => {
  test('settings have defaults, omitted fields stay, and a change applies at once', async () => {
    const { tenant, admin, at } = await portal('settings')
    const before = await admin('/settings')
    expect(before.body).toMatchObject({
      project_key: tenant.project.projectKey,
      ...{ allowed_origins: [], moderation: 'off', enduser_auth: false, branding: null },
      ...{ links_max: 5, suggestions_per_hour_max: 60, votes_per_minute_max: 5, live_secrets: 0 },
    })
    expect((await at('/ideas')).body).not.toHaveProperty('portal_config')
    const origins = [
      'HTTPS://App.Example.com:443',
      'https://*.bücher.example',
      'https://app.example.com',
    ]
    const saved = await admin(
      '/settings',
      patch({ allowed_origins: origins, branding: { title: 'Ideas' } }),
    )
    expect(saved.body.allowed_origins).toEqual([
      'https://app.example.com',
      'https://*.xn--bcher-kva.example',
    ])
    await admin('/settings', patch({ moderation: 'all', branding: { primary_color: '#AABBCC' } }))
    const { portal_config } = (await at('/ideas')).body
    expect(portal_config).toMatchObject({
      title: 'Ideas',
      primary_color: '#aabbcc',
      moderation: 'all',
      require_token: false,
    })
    expect((await at('/ideas', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    await admin('/settings', patch({ branding: null }))
    expect((await at('/ideas')).body).not.toHaveProperty('portal_config')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a star alone               ', { allowed_origins: ['*'] }, 'allowed_origins.0'],
    ['a star inside a label      ', { allowed_origins: ['https://a*.example.com'] }, 'allowed_origins.0'],
    ['a path                     ', { allowed_origins: ['https://example.com/app'] }, 'allowed_origins.0'],
    ['a query                    ', { allowed_origins: ['https://example.com?x'] }, 'allowed_origins.0'],
    ['a bare host                ', { allowed_origins: ['example.com'] }, 'allowed_origins.0'],
    ['null                       ', { allowed_origins: ['null'] }, 'allowed_origins.0'],
    ['an invalid mode            ', { moderation: 'some' }, 'moderation'],
    ['fewer votes than specified ', { votes_per_minute_max: 4 }, 'votes_per_minute_max'],
    ['an invalid language        ', { search_language: 'klingon' }, 'search_language'],
    ['an invalid colour          ', { branding: { primary_color: 'red' } }, 'branding.primary_color'],
    ['a link without TLS         ', { branding: { logo_url: 'http://example.com/x.png' } }, 'branding.logo_url'],
  ] as const)('%s cannot be saved', async (name, body, field) => {
    const { admin } = await portal(`refused ${name}`)
    const { status, body: reply } = await admin('/settings', patch(body))
    expect([status, reply.details?.[0].field]).toEqual([400, field])
  })

  test('each change has an audit entry', async () => {
    const { tenant, login, admin } = await portal('audit')
    await admin('/settings', patch({ moderation: 'ideas' }))
    const { rows } = await api().pool.query(
      'select action, actor, subject_id, details from audit_log where organization_id = $1',
      [tenant.organizationId],
    )
    expect(rows).toEqual([
      {
        action: 'portal.changed',
        actor: login.email,
        subject_id: tenant.project.id,
        details: { moderation: 'ideas' },
      },
    ])
  })
})

describe('secrets of end-user auth', () => {
  const sign = (secret: string, sub = '42') =>
    new SignJWT({ email: 'ada@example.com' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(sub)
      .setExpirationTime(Math.floor(api().time.nowMs / 1000) + 600)
      .sign(new TextEncoder().encode(secret))

  test('both secrets are valid until the old one is retired', async () => {
    const { tenant, admin, at } = await portal('rotation')
    expect((await admin('/settings', patch({ enduser_auth: true }))).status).toBe(409)
    const first = (await admin('/secrets', post())).body
    expect(first.secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect((await admin('/settings', patch({ enduser_auth: true }))).body.enduser_auth).toBe(true)
    const suggest = async (secret: string) => {
      const body = { title: uuidv7(), description: 'Words', token: await sign(secret) }
      return (await at('/ideas/suggest', post(body))).status
    }
    expect(await suggest(first.secret)).toBe(201)
    const second = (await admin('/secrets', post())).body
    expect((await admin('/secrets', post())).status).toBe(409)
    expect([await suggest(first.secret), await suggest(second.secret)]).toEqual([201, 201])
    expect((await admin(`/secrets/${first.id}/retire`, post())).status).toBe(200)
    expect([await suggest(first.secret), await suggest(second.secret)]).toEqual([400, 201])
    expect((await admin(`/secrets/${second.id}/retire`, post())).status).toBe(409)
    const list = await admin('/secrets')
    expect(list.body.items).toMatchObject([{ id: second.id, retired_at: null }, { id: first.id }])
    expect(JSON.stringify(list.body)).not.toContain(second.secret)
    const { rows } = await api().pool.query(
      'select sealed_secret from enduser_secrets where project_id = $1',
      [tenant.project.id],
    )
    for (const row of rows) expect(String(row.sealed_secret)).not.toContain(second.secret)
  })

  test('a token can be checked, and the reply has the reason', async () => {
    const { admin } = await portal('try')
    const { secret } = (await admin('/secrets', post())).body
    const good = await admin('/secrets/try', post({ token: ` ${await sign(secret)} ` }))
    expect(good.body).toEqual({ valid: true, enduser_id: '42', email: 'ada@example.com' })
    const bad = await admin('/secrets/try', post({ token: await sign('another') }))
    expect(bad.body).toMatchObject({ valid: false, code: 'token_invalid' })
    expect(bad.body.reason).toContain('signature')
  })

  test('secrets are for owners', async () => {
    const { tenant, admin } = await portal('owners')
    const login = await api().login(tenant, 'member')
    expect((await admin('/secrets', { ...post(), login })).body.code).toBe('missing_role')
  })
})

describe('users', () => {
  test('users are found, trusted, blocked and erased with all identifying data', async () => {
    const { tenant, admin, at } = await portal('users')
    const suggestion = {
      title: 'Mine',
      description: 'Words',
      enduser_id: 'ada',
      enduser_email: 'ada@example.com',
    }
    const { idea_id } = (await at('/ideas/suggest', post(suggestion))).body
    await at(
      `/ideas/${idea_id}/vote`,
      post({ enduser_id: 'ada', enduser_email: 'other@example.com' }),
    )
    await at(`/ideas/${idea_id}/vote`, post({ enduser_id: 'bob' }))
    const found = await admin('/endusers?search=ADA@')
    expect(found.body.items).toMatchObject([
      {
        enduser_id: 'ada',
        email: 'ada@example.com',
        email_source: 'typed',
        idea_count: 1,
        vote_count: 1,
        comment_count: 0,
      },
    ])
    const path = `/endusers/${found.body.items[0].id}`
    expect((await admin(path, patch({ blocked: true, trusted: true }))).body).toMatchObject({
      trusted: true,
    })
    expect((await admin('/endusers?blocked=true')).body.items).toHaveLength(1)
    expect((await admin(path, patch({ blocked: false }))).body.blocked_at).toBeNull()
    expect((await admin(path, { method: 'DELETE' })).status).toBe(204)
    const { rows } = await api().pool.query(
      `select (select json_agg(u) from endusers u where project_id = $1)::text
         || (select json_agg(v) from votes v join ideas i on i.id = v.idea_id where i.project_id = $1)::text
         || (select json_agg(i) from ideas i where project_id = $1)::text found`,
      [tenant.project.id],
    )
    expect(rows[0].found).not.toMatch(/example\.com|"ada"/)
    expect((await at(`/ideas/${idea_id}`)).body.feature.vote_count).toBe(2)
    const pages = await admin('/endusers?limit=1')
    const next = await admin(`/endusers?limit=1&cursor=${pages.body.next_cursor}`)
    expect([pages.body.items.length, next.body.items.length, next.body.next_cursor]).toEqual([
      1,
      1,
      null,
    ])
  })
})

test('a person who has given no name comments as the team, not under an address', async () => {
  const { login, admin, at } = await portal('signature')
  const idea = { title: 'A', description: 'B', enduser_id: 'u' }
  const { idea_id } = (await at('/ideas/suggest', post(idea))).body
  const names = async () => {
    await admin(`/ideas/${idea_id}/comments`, post({ body: 'We hear you.' }))
    const { body } = await at(`/ideas/${idea_id}/comments`)
    return body.items.map((comment: { author_name: string }) => comment.author_name).sort()
  }
  expect(await names()).toEqual(['owner'])
  await api().pool.query('update people set name = null where id = $1', [login.personId])
  expect(await names()).toEqual(['Team', 'owner'])
})

describe('the roles', () => {
  const routes = [
    ['GET', '/settings'],
    ['PATCH', '/settings'],
    ['GET', '/secrets'],
    ['POST', '/secrets'],
    ['POST', `/secrets/${uuidv7()}/retire`],
    ['POST', '/secrets/try'],
    ['GET', '/endusers'],
    ['GET', `/endusers/${uuidv7()}`],
    ['PATCH', `/endusers/${uuidv7()}`],
    ['DELETE', `/endusers/${uuidv7()}`],
    ['GET', '/moderation'],
    ['POST', `/moderation/ideas/${uuidv7()}`],
    ['POST', `/moderation/comments/${uuidv7()}`],
    ['POST', `/ideas/${uuidv7()}/comments`],
    ['PATCH', `/comments/${uuidv7()}`],
    ['DELETE', `/comments/${uuidv7()}`],
  ] as const

  test('requires a login, the organization and for writes a role above viewer', async () => {
    const mine = await portal('mine')
    const theirs = await portal('theirs')
    const viewer = await api().login(mine.tenant, 'viewer')
    for (const [method, path] of routes) {
      const url = `/api/v1/admin/portal/${mine.tenant.project.id}${path}`
      const body = method === 'GET' ? {} : { body: {} }
      expect((await api().call(url, { method, ...body })).status, `${method} ${path}`).toBe(401)
      const stranger = await api().call(url, { method, ...body, login: theirs.login })
      expect(stranger.status, `${method} ${path} of a stranger`).toBe(404)
      if (method === 'GET') continue
      const read = await api().call(url, { method, ...body, login: viewer })
      expect(read.body.code, `${method} ${path} of a viewer`).toBe('missing_role')
    }
  })
})
