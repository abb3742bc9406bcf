import { describe, expect, test } from 'vitest'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const base = '/api/v1/organization'
const nobody = '019ab0c4-0000-7000-8000-000000000000'

function call(login: PersonLogin | undefined, method: string, path: string, body?: unknown) {
  return api().call(`${base}${path}`, {
    method: method as 'GET',
    ...(login === undefined ? {} : { login }),
    ...(body === undefined ? {} : { body }),
  })
}

async function auditOf(login: PersonLogin, query = '') {
  const { body } = await call(login, 'GET', `/audit${query}`)
  return body.items as { action: string; actor: string; subject_id: string; details: object }[]
}

/** Every route for people here, with the least role that may call it. */
const routes = [
  ['GET', '', 'viewer'],
  ['PATCH', '', 'owner'],
  ['GET', '/projects', 'viewer'],
  ['GET', `/projects/${nobody}`, 'viewer'],
  ['POST', '/projects', 'member'],
  ['PATCH', `/projects/${nobody}`, 'member'],
  ['GET', '/people', 'viewer'],
  ['GET', `/people/${nobody}`, 'viewer'],
  ['POST', '/people', 'owner'],
  ['PATCH', `/people/${nobody}`, 'owner'],
  ['POST', `/people/${nobody}/link`, 'owner'],
  ['DELETE', `/people/${nobody}`, 'owner'],
  ['GET', '/tokens', 'member'],
  ['GET', `/tokens/${nobody}`, 'member'],
  ['POST', '/tokens', 'member'],
  ['PATCH', `/tokens/${nobody}`, 'member'],
  ['DELETE', `/tokens/${nobody}`, 'member'],
  ['GET', '/api-keys', 'member'],
  ['GET', `/api-keys/${nobody}`, 'member'],
  ['POST', '/api-keys', 'member'],
  ['PATCH', `/api-keys/${nobody}`, 'member'],
  ['DELETE', `/api-keys/${nobody}`, 'member'],
  ['GET', '/newsletters', 'viewer'],
  ['GET', '/newsletters/none', 'viewer'],
  ['POST', '/newsletters', 'member'],
  ['PATCH', '/newsletters/none', 'member'],
  ['DELETE', '/newsletters/none', 'owner'],
  ['GET', '/audit', 'member'],
] as const

describe('every route', () => {
  const ranks = { viewer: 0, member: 1, owner: 2 }

  test.each(routes)('%s %s takes a %s, and nobody without a login', async (method, path, least) => {
    const tenant = await api().tenant('Roles')
    const bare = await call(undefined, method, path)
    expect([bare.status, bare.body.code]).toEqual([401, 'missing_credentials'])
    const token = await api().call(`${base}${path}`, { method, token: tenant.token })
    expect(token.status).toBe(401)
    for (const role of ['viewer', 'member', 'owner'] as const) {
      const answer = await call(await api().login(tenant, role), method, path)
      const refused = answer.status === 403 && answer.body.code === 'missing_role'
      expect([role, refused]).toEqual([role, ranks[role] < ranks[least]])
    }
  })
})

test('things of another organization are 404 for every route', async () => {
  const tenant = await api().tenant('Victim')
  const owner = await api().login(tenant)
  const colleague = await api().login(tenant, 'member')
  const stranger = await api().login(await api().tenant('Stranger'))
  const key = await call(owner, 'POST', '/api-keys', { label: 'theirs' })
  const sample = { slug: 'theirs', name: 'Theirs', from_address: 'a@example.com' }
  const newsletter = await call(owner, 'POST', '/newsletters', sample)
  const theirs = [
    [`/projects/${tenant.project.id}`, { name: 'Mine now' }],
    [`/people/${colleague.personId}`, { role: 'viewer' }],
    [`/tokens/${tenant.tokenId}`, { revoked: true }],
    [`/api-keys/${key.body.id}`, { revoked: true }],
    [`/newsletters/${newsletter.body.id}`, { name: 'Mine now' }],
    ['/newsletters/theirs', { name: 'Mine now' }],
  ] as const
  for (const [path, change] of theirs) {
    for (const [method, body] of [['GET'], ['PATCH', change], ['DELETE']] as const) {
      if (method === 'DELETE' && path.startsWith('/projects')) continue
      const answer = await call(stranger, method, path, body)
      expect([method, path, answer.body]).toEqual([
        method,
        path,
        { error: 'The resource was not found.', code: 'not_found' },
      ])
    }
    expect((await call(owner, 'GET', path)).status).toBe(200)
  }
  const link = await call(stranger, 'POST', `/people/${colleague.personId}/link`)
  expect(link.status).toBe(404)
})

describe('access tokens and API keys', () => {
  const useToken = (tenant: Tenant, token: string) =>
    api().call(`/api/v1/projects/${tenant.project.id}/issues`, { token })

  test('a value is shown once and works until it is revoked', async () => {
    const tenant = await api().tenant('Tokens')
    const login = await api().login(tenant, 'member')
    const body = { label: 'script', scopes: ['issues:read', 'issues:read'] }
    const made = await call(login, 'POST', '/tokens', body)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ label: 'script', scopes: ['issues:read'], expires_at: null })
    const { id, value } = made.body
    const listed = await call(login, 'GET', '/tokens')
    expect(JSON.stringify(listed.body)).not.toContain(value)
    expect((await useToken(tenant, value)).status).toBe(200)

    const revoked = await call(login, 'PATCH', `/tokens/${id}`, { revoked: true })
    expect(revoked.body.revoked_at).toBe('2026-11-21T01:30:00.000Z')
    expect((await useToken(tenant, value)).body.code).toBe('invalid_credentials')
    expect((await call(login, 'DELETE', `/tokens/${id}`)).status).toBe(204)
    expect((await call(login, 'GET', `/tokens/${id}`)).status).toBe(404)
    expect((await auditOf(login)).map(({ action }) => action)).toEqual([
      'token.deleted',
      'token.revoked',
      'token.created',
    ])
  })

  test('expires at the given time, and a time in the past is refused', async () => {
    const tenant = await api().tenant('Expiry')
    const login = await api().login(tenant)
    const at = (minutes: number) => new Date(api().time.nowMs + minutes * 60_000).toISOString()
    for (const path of ['/tokens', '/api-keys']) {
      const late = await call(login, 'POST', path, { label: 'late', expires_at: at(0) })
      expect(late.body.details).toEqual([{ field: 'expires_at', rule: 'must be in the future' }])
    }
    const made = await call(login, 'POST', '/tokens', { label: 'soon', expires_at: at(1) })
    const key = await call(login, 'POST', '/api-keys', { label: 'soon', expires_at: at(1) })
    const useKey = () =>
      api().call('/api/v1/send/none', { headers: { authorization: `bearer  ${key.body.value}` } })
    expect((await useToken(tenant, made.body.value)).status).toBe(200)
    expect((await useKey()).status).toBe(404)
    api().time.nowMs += 60_000
    expect((await useToken(tenant, made.body.value)).status).toBe(401)
    const ended = await useKey()
    expect([ended.body.code, ended.headers['www-authenticate']]).toEqual(['invalid_key', 'Bearer'])
  })
})

describe('newsletters', () => {
  const sample = { slug: 'weekly', name: 'The Weekly', from_address: 'News@Bücher.example' }

  test('are created with defaults, changed in part, and named by id or slug', async () => {
    const login = await api().login(await api().tenant('Newsletters'), 'member')
    const made = await call(login, 'POST', '/newsletters', sample)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      slug: 'weekly',
      from_address: 'News@xn--bcher-kva.example',
      confirm_signups: false,
      archive_enabled: true,
      locale: 'en',
      contact_counts: {},
    })
    const change = { reply_to: 'editors@example.com', track_opens: true, footer: null }
    const changed = await call(login, 'PATCH', '/newsletters/weekly', change)
    expect(changed.body).toMatchObject({ ...change, name: 'The Weekly', id: made.body.id })
    const read = await call(login, 'GET', `/newsletters/${made.body.id}`)
    expect(read.body).toEqual(changed.body)
    const again = await call(login, 'POST', '/newsletters', sample)
    expect(again.status).toBe(409)
    const [entry] = await auditOf(login, '?action=newsletter.changed')
    expect(entry?.details).toEqual({ slug: 'weekly', fields: Object.keys(change) })
  })

  test.each([
    [{ from_address: 'nobody' }, 'from_address'],
    [{ reply_to: 'a@b@c' }, 'reply_to'],
    [{ from_name: 'a\r\nBcc: x@example.com' }, 'from_name'],
    [{ locale: 'not a tag' }, 'locale'],
    [{ logo_url: 'javascript:alert(1)' }, 'logo_url'],
    [{ confirm_redirect_url: 'ftp://example.com/' }, 'confirm_redirect_url'],
    [{ welcome_enabled: true }, 'welcome_subject'],
    [{ slug: 'other' }, 'slug'],
  ])('%j names the field that is wrong', async (change, field) => {
    const login = await api().login(await api().tenant('Wrong fields'))
    const slug = `wrong-${field.replace(/_/g, '-')}`
    await call(login, 'POST', '/newsletters', { ...sample, slug })
    const answer = await call(login, 'PATCH', `/newsletters/${slug}`, change)
    expect([answer.status, answer.body.details?.[0].field]).toEqual([400, field])
  })

  test('can be deleted only without contacts and campaigns', async () => {
    const tenant = await api().tenant('Unused')
    const login = await api().login(tenant)
    const { body } = await call(login, 'POST', '/newsletters', { ...sample, slug: 'unused' })
    await api().pool.query(
      `with address as (insert into addresses (id, organization_id, email_key) values ($1, $2, 'a@b.c') returning id)
       insert into contacts (id, organization_id, newsletter_id, address_id, status) select id, $2, $1, id, 'pending' from address`,
      [body.id, tenant.organizationId],
    )
    expect((await call(login, 'DELETE', '/newsletters/unused')).status).toBe(409)
    await api().pool.query('delete from contacts where newsletter_id = $1', [body.id])
    expect((await call(login, 'DELETE', '/newsletters/unused')).status).toBe(204)
  })
})

describe('projects', () => {
  test('have a DSN from the start, and keep their short name when renamed', async () => {
    const login = await api().login(await api().tenant('Projects'), 'member')
    const { body: made } = await call(login, 'POST', '/projects', { name: 'Web shop' })
    expect(made).toMatchObject({ name: 'Web shop', short_name: 'WEB-SHOP' })
    expect(made.dsn).toMatch(
      new RegExp(`^https://[0-9a-f]{32}@errors.example.test/${made.dsn_id}$`),
    )
    const renamed = await call(login, 'PATCH', `/projects/${made.id}`, { name: 'Store' })
    expect(renamed.body).toEqual({ ...made, name: 'Store' })
    const listed = await call(login, 'GET', '/projects')
    expect(listed.body.items).toHaveLength(2)
  })

  test('are open to people of their organization as their role allows', async () => {
    const tenant = await api().tenant('People of a project')
    const path = `/api/v1/projects/${tenant.project.id}`
    const viewer = await api().login(tenant, 'viewer')
    const member = await api().login(tenant, 'member')
    const stranger = await api().login(await api().tenant('Strangers'))
    const body = { retention_days: 30 }
    expect((await api().call(`${path}/issues`, { login: viewer })).status).toBe(200)
    expect((await api().call(`${path}/issues`, { login: stranger })).status).toBe(404)
    const put = { method: 'PUT', body } as const
    const refused = await api().call(`${path}/settings`, { ...put, login: viewer })
    expect(refused.body.code).toBe('missing_role')
    const forged = { ...member, csrf: '' }
    const csrf = await api().call(`${path}/settings`, { ...put, login: forged })
    expect(csrf.body.code).toBe('csrf_failed')
    expect((await api().call(`${path}/settings`, { ...put, login: member })).status).toBe(200)
    const [entry] = await auditOf(member)
    expect(entry).toMatchObject({
      action: 'project_settings.changed',
      actor: member.email,
      subject_id: tenant.project.id,
      details: body,
    })
  })

  test('an issue shows the person who resolved it', async () => {
    const tenant = await api().tenant('Resolver')
    const login = await api().login(tenant, 'member')
    const id = await api().addIssue(tenant, {})
    const path = `/api/v1/projects/${tenant.project.id}/issues/${id}`
    await api().call(path, { method: 'PATCH', login, body: { status: 'resolved' } })
    const { body } = await api().call(path, { login })
    expect(body.activity[0].actor).toEqual({
      type: 'person',
      id: login.personId,
      label: login.email,
    })
  })
})

describe('the audit log', () => {
  test('is listed newest first in pages, and contains nothing of other organizations', async () => {
    const login = await api().login(await api().tenant('Audit'))
    const stranger = await api().login(await api().tenant('Elsewhere'))
    await call(stranger, 'PATCH', '', { name: 'Elsewhere 2' })
    const names = ['one', 'two', 'three', 'four', 'five']
    for (const name of names) await call(login, 'PATCH', '', { name })
    const seen: string[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < 10; page++) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await call(login, 'GET', `/audit?limit=2${query}`)
      seen.push(...body.items.map((item: { details: { name: string } }) => item.details.name))
      cursor = body.next_cursor
    }
    expect(seen).toEqual([...names].reverse())
    expect(await auditOf(login, `?person_id=${stranger.personId}`)).toEqual([])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['team.created',    ['team.created'],                   'a whole name'],
    ['team',            ['team.changed', 'team.created'],   'the beginning'],
    ['CREATED',         ['team.created'],                   'the end, in any case'],
    ['%',               [],                                 'no pattern of SQL'],
    ['team_created',    [],                                 'no pattern of SQL'],
    ["' or true --",    [],                                 'no SQL'],
    ['\u{1f600}',       [],                                 'any character'],
  ] as const)('is filtered by a part of the action: %s (%#)', async (action, found, _why) => {
    const login = await api().login(await api().tenant('Filtered'))
    await call(login, 'POST', '/teams', { name: 'Payments', slug: 'payments' })
    await call(login, 'PATCH', '/teams/payments', { name: 'Billing' })
    const entries = await auditOf(login, `?action=${encodeURIComponent(action)}`)
    expect(entries.map((entry) => entry.action)).toEqual(found)
  })

  test('names both people after both were removed', async () => {
    const tenant = await api().tenant('Gone')
    const [owner, other] = [await api().login(tenant), await api().login(tenant)]
    const third = await api().login(tenant)
    await call(owner, 'DELETE', `/people/${other.personId}`)
    await call(third, 'DELETE', `/people/${owner.personId}`)
    const entries = await auditOf(third, '?action=person.removed')
    expect(entries.map(({ actor, subject_id }) => [actor, subject_id])).toEqual([
      [third.email, owner.personId],
      [owner.email, other.personId],
    ])
  })
})
