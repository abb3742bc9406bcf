import { beforeAll, describe, expect, test } from 'vitest'
import { createClickHouse } from '#platform/clickhouse.ts'
import { createLogger } from '#platform/logger.ts'
import { attachmentKey } from '#platform/objects/attachment-key.ts'
import { createPool } from '#platform/postgres.ts'
import { type AccessScope, accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { buildApp } from '../app.ts'
import { addAccessToken } from '../credentials/credential-store.ts'
import { createClickHouseReader, createPostgres } from '../database.ts'
import { addDsnKey } from '../keys/dsn-key-store.ts'

const api = apiOfThisFile()
let tenant: Tenant
let issueId: string
let mergedId: string
let deletedId: string
let linkId: string
let keyId: string
let deletedKeyId: string
let attachmentId: string
let deletedAttachmentId: string
let alert: { readonly id: string; readonly targetId: string; readonly deliveryId: string }
let deletedAlertId: string
let viewId: string
let deletedViewId: string

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
  issueId = await api().addIssue(tenant, { title: 'secret title', hashes: ['m', 'm2'] })
  mergedId = await api().addIssue(tenant, { title: 'secret title', hashes: ['merged'] })
  deletedId = await api().addIssue(tenant, { title: 'secret title', hashes: ['deleted'] })
  await api().addEvents(tenant, [{ id: 'm', hash: 'm', title: 'secret title', release: 'shop@1' }])
  const link = { url: 'https://tickets.example.com/2' }
  const path = `/issues/${issueId}/links`
  linkId = (await api().of(tenant, path, { method: 'POST', body: link })).body.id
  keyId = await addKey('one')
  deletedKeyId = await addKey('two')
  attachmentId = await addAttachment('one')
  deletedAttachmentId = await addAttachment('two')
  await api().addRelease(tenant, { version: 'shop@1', first: -100, last: -1 })
  alert = await addAlert()
  deletedAlertId = (await addAlert()).id
  viewId = await addView()
  deletedViewId = await addView()
})

async function addView(): Promise<string> {
  const body = { name: 'secret title', params: '', shared: true }
  return (await api().of(tenant, '/views', { method: 'POST', body })).body.id
}

async function addAttachment(name: string): Promise<string> {
  const file = {
    projectId: tenant.project.dsnId,
    storedOn: '2026-11-20',
    sha256: hex(name).repeat(2),
  }
  await api().objects.put(attachmentKey(file), Buffer.from(name))
  const { rows } = await api().pool.query<{ id: string }>(
    `insert into event_attachments (project_id, event_id, id, name, type, size, sha256, stored_on, received_at, expires_at)
     values ($1, $2, gen_random_uuid(), 'secret title.txt', 'event.attachment', 3, decode($3, 'hex'), $4, now(), now())
     returning id`,
    [file.projectId, hex('m'), file.sha256, file.storedOn],
  )
  return rows[0]?.id ?? ''
}

async function addAlert(): Promise<typeof alert> {
  const rule = await api().of(tenant, '/alerts', { method: 'POST', body: newAlert })
  const { id } = rule.body
  await api().of(tenant, `/alerts/${id}/test`, { method: 'POST' })
  const log = await api().of(tenant, `/alerts/${id}/deliveries`)
  return { id, targetId: rule.body.then[0].id, deliveryId: log.body.items[0].id }
}

async function addKey(label: string): Promise<string> {
  const { public_key: publicKey } = await addDsnKey(api().pool, {
    projectId: tenant.project.id,
    label,
  })
  const { rows } = await api().pool.query('select id from dsn_keys where public_key = $1', [
    publicKey,
  ])
  return rows[0].id
}

interface RouteCase {
  readonly scope: AccessScope
  readonly body?: () => unknown
  readonly query?: string
  /** Values of the path's parameters, where others than the examples. */
  readonly ids?: () => Readonly<Record<string, string>>
  /** Status of the answer to the project's own token; 200 when left out. */
  readonly ok?: number
  /** Status in a project that has nothing; 404 when left out, if the path names something. */
  readonly elsewhere?: number
  /** Answers without ClickHouse. */
  readonly isPostgresOnly?: true
}

const change = { status: 'resolved' }
const newAlert = {
  name: 'All',
  when: [{ type: 'new_issue' }],
  // Nothing is sent, because no worker runs.
  then: [{ type: 'webhook', url: 'https://example.com/hook' }],
}
const read = { scope: 'issues:read' } as const
const write = { scope: 'issues:write' } as const
/** There is none in the project: all that is seen of these here is what stands before them. */
const noMonitor = { ok: 404, isPostgresOnly: true } as const
const settings = { scope: 'settings:write', isPostgresOnly: true } as const

/**
 * Every route below a project. Each can be called again and again, but for keys that are gone then.
 */
const cases: Readonly<Record<string, RouteCase>> = {
  'GET /overview': { ...read, isPostgresOnly: true },
  'GET /issues': read,
  'GET /issues/count': { ...read, isPostgresOnly: true },
  'GET /issues/{issue_id}': read,
  'GET /issues/{issue_id}.md': read,
  'PATCH /issues/{issue_id}': { ...write, body: () => change },
  'DELETE /issues/{issue_id}': {
    ...write,
    ids: () => ({ issue_id: deletedId }),
    ok: 202,
    isPostgresOnly: true,
  },
  'GET /issues/{issue_id}/events': read,
  'GET /issues/{issue_id}/events/{place}': { ...read, ids: () => ({ place: 'latest' }) },
  'GET /issues/{issue_id}/hashes': { ...read, isPostgresOnly: true },
  'GET /issues/{issue_id}/similar': { ...read, isPostgresOnly: true },
  'GET /issues/{issue_id}/users': read,
  'POST /issues/{issue_id}/merge': {
    ...write,
    body: () => ({ into: issueId }),
    ids: () => ({ issue_id: mergedId }),
  },
  'POST /issues/{issue_id}/unmerge': { ...write, body: () => ({ hashes: [hex('m2')] }) },
  'POST /issues/bulk': {
    ...write,
    body: () => ({ ids: [issueId], change }),
    isPostgresOnly: true,
  },
  'POST /issues/{issue_id}/comments': {
    ...write,
    body: () => ({ text: 'Seen' }),
    ok: 201,
    isPostgresOnly: true,
  },
  // A token is no person.
  'PUT /issues/{issue_id}/bookmark': { ...read, ok: 400, isPostgresOnly: true },
  'DELETE /issues/{issue_id}/bookmark': { ...read, ok: 400, isPostgresOnly: true },
  'POST /issues/{issue_id}/links': {
    ...write,
    body: () => ({ url: 'https://tickets.example.com/1' }),
    ok: 201,
    isPostgresOnly: true,
  },
  'DELETE /issues/{issue_id}/links/{link_id}': {
    ...write,
    ids: () => ({ link_id: linkId }),
    ok: 204,
    isPostgresOnly: true,
  },
  'GET /events': read,
  'GET /events/{event_id}': read,
  'GET /events/{event_id}.md': read,
  'GET /events/{event_id}/attachments': { ...read, elsewhere: 200, isPostgresOnly: true },
  'GET /events/{event_id}/attachments/{attachment_id}': { ...read, isPostgresOnly: true },
  'GET /events/{event_id}/attachments/{attachment_id}/preview': { ...read, isPostgresOnly: true },
  'DELETE /events/{event_id}/attachments/{attachment_id}': {
    ...write,
    ids: () => ({ attachment_id: deletedAttachmentId }),
    isPostgresOnly: true,
  },
  'GET /tags': read,
  // Any name may be a tag's, so in every project there is a list of its values.
  'GET /tags/{key}/values': { ...read, ids: () => ({ key: 'title' }), elsewhere: 200 },
  'GET /search/fields': { ...read, isPostgresOnly: true },
  'GET /releases': read,
  'GET /releases/{release}': read,
  'GET /releases/{release}/compare': { ...read, query: '?base=shop@1' },
  'PUT /releases/{release}/commits': {
    ...write,
    body: () => ({ commits: ['0123456789abcdef0123456789abcdef01234567'] }),
    // A deployment may come before the first event of its release.
    elsewhere: 200,
    isPostgresOnly: true,
  },
  'POST /releases': {
    ...write,
    body: () => ({ version: 'shop@2' }),
    ok: 201,
    isPostgresOnly: true,
  },
  'PATCH /releases/{release}': { ...write, body: () => ({ url: null }), isPostgresOnly: true },
  // The commits and the deploy of a foreign release name one of the own project.
  'GET /releases/{release}/deploys': { ...read, elsewhere: 200, isPostgresOnly: true },
  'POST /releases/{release}/deploys': {
    ...write,
    body: () => ({ environment: 'production' }),
    ok: 201,
    // As commits.
    elsewhere: 201,
    isPostgresOnly: true,
  },
  'GET /triage': read,
  'GET /triage/stats': { ...read, isPostgresOnly: true },
  'GET /ownership': { ...read, isPostgresOnly: true },
  'PUT /ownership': { ...settings, body: () => ({ rules: '' }) },
  'POST /ownership/match': { ...read, body: () => ({ path: 'src/a.ts' }), isPostgresOnly: true },
  'GET /alerts': { ...read, isPostgresOnly: true },
  'POST /alerts': { ...settings, body: () => newAlert, ok: 201 },
  'POST /alerts/preview': { ...read, body: () => ({ ...newAlert, if: { query: 'title:x' } }) },
  'GET /alerts/{alert_id}': { ...read, isPostgresOnly: true },
  'PATCH /alerts/{alert_id}': { ...settings, body: () => ({ enabled: true }) },
  'DELETE /alerts/{alert_id}': {
    ...settings,
    ids: () => ({ alert_id: deletedAlertId }),
    ok: 204,
  },
  'POST /alerts/{alert_id}/test': { ...settings, ok: 202 },
  'POST /alerts/{alert_id}/rotate-secret': settings,
  'GET /alerts/{alert_id}/deliveries': settings,
  'POST /alerts/{alert_id}/deliveries/{delivery_id}/replay': { ...settings, ok: 202 },
  'GET /outcomes': read,
  'GET /quota': read,
  'PUT /quota': { scope: 'settings:write', body: () => ({ per_minute: 100 }) },
  'GET /keys': { ...read, isPostgresOnly: true },
  'POST /keys': { ...settings, body: () => ({ label: 'worker' }), ok: 201 },
  'PATCH /keys/{key_id}': { ...settings, body: () => ({ label: 'cli' }) },
  'DELETE /keys/{key_id}': { ...settings, ids: () => ({ key_id: deletedKeyId }), ok: 204 },
  'GET /monitors': { ...read, isPostgresOnly: true },
  'GET /monitors/{slug}': { ...noMonitor, ...read },
  'PATCH /monitors/{slug}': { ...noMonitor, ...write, body: () => ({ muted: true }) },
  'DELETE /monitors/{slug}': { ...noMonitor, ...write },
  'GET /monitors/{slug}/runs': { ...noMonitor, ...read },
  'GET /views': { ...read, isPostgresOnly: true },
  'POST /views': {
    ...write,
    body: () => ({ name: 'Fatal', params: 'sort=count', shared: true }),
    ok: 201,
    isPostgresOnly: true,
  },
  'PATCH /views/{view_id}': { ...write, body: () => ({ name: 'Other' }), isPostgresOnly: true },
  'DELETE /views/{view_id}': {
    ...write,
    ids: () => ({ view_id: deletedViewId }),
    ok: 204,
    isPostgresOnly: true,
  },
  'GET /settings': { ...read, isPostgresOnly: true },
  'PUT /settings': { ...settings, body: () => ({}) },
  // An event that is given; a stored one needs ClickHouse.
  'POST /grouping/try': { ...read, body: () => ({ event: {} }), isPostgresOnly: true },
  'POST /settings/try': { ...read, body: () => ({ event: {} }), isPostgresOnly: true },
}

interface Route {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly scope: AccessScope
  readonly ok: number
  readonly isPostgresOnly: boolean
  readonly body?: unknown
}

/** The routes that the documentation lists, with ids that exist in the tenant's project. */
function allRoutes(): Route[] {
  const examples: Readonly<Record<string, string>> = {
    issue_id: issueId,
    event_id: hex('m'),
    release: 'shop@1',
    attachment_id: attachmentId,
    key_id: keyId,
    alert_id: alert.id,
    target_id: alert.targetId,
    delivery_id: alert.deliveryId,
    view_id: viewId,
  }
  return documentedRoutes().map((name): Route => {
    const found: RouteCase = cases[name] ?? read
    const { scope, body, ids, query = '', ok = 200, isPostgresOnly = false } = found
    const [method, template] = name.split(' ') as [Route['method'], string]
    const given = { ...examples, ...ids?.() }
    const path = template.replace(
      /\{(\w+)\}/g,
      (_, parameter: string) => given[parameter] ?? 'missing',
    )
    const route = { name, method, path: path + query, scope, ok, isPostgresOnly }
    return body === undefined ? route : { ...route, body: body() }
  })
}

function documentedRoutes(): string[] {
  const prefix = '/api/v1/projects/{project_id}'
  const document = api().app.swagger() as { paths: Record<string, Record<string, unknown>> }
  return (
    Object.entries(document.paths)
      // Feedback has its own checks of the caller.
      .filter(([path]) => path.startsWith(`${prefix}/`) && !path.startsWith(`${prefix}/feedback`))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((name) => `${name.toUpperCase()} ${path.slice(prefix.length)}`),
      )
  )
}

let addressCount = 0
function nextAddress(): string {
  addressCount += 1
  return `2001:db8:${addressCount.toString(16)}::1`
}

describe('the checks before every route', () => {
  test('the matrix contains all routes', () => {
    expect(documentedRoutes().sort()).toEqual(Object.keys(cases).sort())
  })

  test('its own token is accepted by every route', async () => {
    for (const { name, path, ok, ...call } of allRoutes()) {
      expect([name, (await api().of(tenant, path, call)).status]).toEqual([name, ok])
    }
  })

  test('a token of another organization gets 404 from every route', async () => {
    const stranger = await api().tenant('Stranger', accessScopes)
    for (const { path, ...route } of allRoutes()) {
      const answer = await api().of(tenant, path, { ...route, token: stranger.token })
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        { error: 'The resource was not found.', code: 'not_found' },
      ])
    }
  })

  test('a person of both organizations is told where the project is, and others are not', async () => {
    const [there, elsewhere] = [await api().tenant('There'), await api().tenant('Elsewhere')]
    const [both, stranger] = [await api().login(elsewhere), await api().login(elsewhere)]
    await api().pool.query(
      `insert into memberships (organization_id, person_id, role) values ($1, $2, 'viewer')`,
      [there.organizationId, both.personId],
    )
    const path = `/api/v1/projects/${there.project.id}/issues`
    const told = await api().call(path, { login: both })
    expect([told.status, told.body.code, told.body.details]).toEqual([
      404,
      'other_organization',
      [{ field: 'organization_id', rule: there.organizationId }],
    ])
    for (const call of [{ login: stranger }, { token: elsewhere.token }]) {
      const { status, body } = await api().call(path, call)
      expect([status, body.code, body.details]).toEqual([404, 'not_found', undefined])
    }
  })

  test('in its own project it finds nothing of the other project', async () => {
    const stranger = await api().tenant('Neighbour', accessScopes)
    for (const { name, path, ok, ...call } of allRoutes()) {
      const { status, body } = await api().of(stranger, path, call)
      expect(JSON.stringify(body)).not.toContain('secret title')
      const want = cases[name]?.elsewhere ?? (name.includes('{') ? 404 : ok)
      expect([name, status]).toEqual([name, want])
      if (path === '/quota') expect(body.by_issue).toEqual([])
      else if (path === '/issues/bulk') expect(body.matched).toBe(0)
      else if (path === '/triage/stats' || path === '/issues/count') expect(body.count).toBe(0)
      else if (path === '/overview') expect(body.has_events).toBe(false)
      else if (path === '/ownership') expect(body.rules).toBe('')
      else if (path === '/search/fields') expect(body.items.length).toBeGreaterThan(20)
      else if (call.method === 'GET' && status === 200 && path !== '/settings') {
        expect([name, body.items]).toEqual([name, []])
      }
    }
  })

  test('a change through a wrong project changed nothing', async () => {
    const other = await api().tenant('Other')
    const id = await api().addIssue(tenant, { title: 'untouched' })
    await api().of(other, `/issues/${id}`, { method: 'PATCH', body: change })
    await api().of(tenant, `/issues/${id}`, { method: 'PATCH', body: change, token: other.token })
    expect((await api().of(tenant, `/issues/${id}`)).body.status).toBe('unresolved')
  })

  // biome-ignore format: the columns are the point
  test.each<[string, () => string | undefined, string]>([
    ['no header',        () => undefined,                             'missing_credentials'],
    ['a blank header',   () => '  ',                                  'missing_credentials'],
    ['another shape',    () => 'secret',                              'invalid_credentials'],
    ['an email key',     () => `emk_${'a'.repeat(43)}`,               'invalid_credentials'],
    ['an unknown token', () => `oat_${'a'.repeat(43)}`,               'invalid_credentials'],
    ['another case',     () => tenant.token.toUpperCase(),            'invalid_credentials'],
    ['SQL',              () => "' or 1=1 --",                         'invalid_credentials'],
  ])('%s is 401, by any route', async (_name, token, code) => {
    for (const { path, method, body } of allRoutes()) {
      const value = token()
      const answer = await api().call(`/api/v1/projects/${tenant.project.id}${path}`, {
        method,
        // Invalid tokens are limited by client address.
        address: nextAddress(),
        ...(body === undefined ? {} : { body }),
        ...(value === undefined ? {} : { token: value }),
      })
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, code])
    }
  })

  test('a viewer with a login can only read, on every route', async () => {
    const viewer = await api().login(tenant, 'viewer')
    for (const { name, path, method, body, scope, ok } of allRoutes()) {
      const url = `/api/v1/projects/${tenant.project.id}${path}`
      const asked = body === undefined ? { method } : { method, body }
      const { status } = await api().call(url, { ...asked, login: viewer })
      if (scope !== 'issues:read') expect([name, status]).toEqual([name, 403])
      else if (!name.includes('{')) expect([name, status]).toEqual([name, ok])
      const forged = await api().call(url, { ...asked, headers: { cookie: viewer.cookie } })
      if (method !== 'GET') expect([name, forged.body.code]).toEqual([name, 'csrf_failed'])
    }
  })

  test('a revoked or deleted token gets 401 on the next request', async () => {
    const leaver = await api().tenant('Leaver')
    expect((await api().of(leaver, '/issues')).status).toBe(200)
    await api().pool.query('update access_tokens set revoked_at = now() where id = $1', [
      leaver.tokenId,
    ])
    expect((await api().of(leaver, '/issues')).body.code).toBe('invalid_credentials')
    await api().pool.query('delete from access_tokens where id = $1', [leaver.tokenId])
    expect((await api().of(leaver, '/issues')).body.code).toBe('invalid_credentials')
  })

  test('a token without the scope gets 403 with the name of the scope from every route', async () => {
    for (const { path, scope: needed, ...route } of allRoutes()) {
      const others = accessScopes.filter((scope) => scope !== needed)
      const { organizationId } = tenant
      const maker = { organizationId, label: 'x', scopes: others }
      const token = await addAccessToken(api().pool, maker)
      const answer = await api().of(tenant, path, { ...route, token: token.value })
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'missing_scope'])
      expect(answer.body.error).toContain(needed)
    }
  })

  test.each(['x', '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', "'%20or%201=1"])(
    'the project %s is not there',
    async (id) => {
      const answer = await api().call(`/api/v1/projects/${id}/issues`, { token: tenant.token })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    },
  )

  test('the last use of a token is stored at most once a minute', async () => {
    const user = await api().tenant('Noted')
    const lastUsed = async (): Promise<string | null> => {
      const { rows } = await api().pool.query(
        'select last_used_at from access_tokens where id = $1',
        [user.tokenId],
      )
      return (rows[0].last_used_at as Date | null)?.toISOString() ?? null
    }
    expect(await lastUsed()).toBeNull()
    const start = api().time.nowMs
    try {
      for (const [seconds, want] of [
        [0, 0],
        [59, 0],
        [60, 60],
      ] as const) {
        api().time.nowMs = start + seconds * 1000
        await api().of(user, '/issues')
        // It is written after the reply has gone.
        await expect.poll(lastUsed).toBe(new Date(start + want * 1000).toISOString())
      }
    } finally {
      api().time.nowMs = start
    }
  })
})

describe('when a store does not respond', () => {
  const deadPort = 1

  test('without Postgres every route is 503 with Retry-After', async () => {
    const log = createLogger('test', 'silent')
    const url = `postgres://x:x@127.0.0.1:${deadPort}/x`
    const pool = createPool({ url, applicationName: 'test', connectionsMax: 1 }, log)
    const app = await buildApp({ ...api().ctx, pg: createPostgres(pool) })
    for (const { path, ...route } of allRoutes()) {
      const below = `/api/v1/projects/${tenant.project.id}${path}`
      const answer = await api().call(below, { ...route, token: tenant.token }, app)
      expect([path, answer.status, answer.body.code]).toEqual([path, 503, 'unavailable'])
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await api().call('/health', {}, app)).status).toBe(200)
    await app.close()
    await pool.end()
  })

  test('without ClickHouse, routes that need it are 503 and the others work', async () => {
    const clickhouse = createClickHouse(`http://x:x@127.0.0.1:${deadPort}/x`, 'test')
    const app = await buildApp({ ...api().ctx, clickhouse: createClickHouseReader(clickhouse) })
    for (const { name, path, isPostgresOnly, ...call } of allRoutes()) {
      const below = `/api/v1/projects/${tenant.project.id}${path}`
      const { status, body } = await api().call(below, { ...call, token: tenant.token }, app)
      if (isPostgresOnly) expect([name, status < 500]).toEqual([name, true])
      else {
        expect([name, status]).toEqual([name, 503])
        expect(body).toMatchObject({
          code: 'unavailable',
          error: expect.stringMatching(/^ClickHouse is unavailable: /),
        })
      }
    }
    await app.close()
    await clickhouse.close()
  })
})
