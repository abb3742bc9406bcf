import { beforeAll, describe, expect, test } from 'vitest'
import { NoReplyError } from '#platform/nats/bus-requester.ts'
import { defaultProjectSettings } from '#schemas/project-settings.ts'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, at, type Call, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { hostileTexts } from '../../test/fixtures/hostile-texts.ts'
import { buildApp } from '../app.ts'
import { workerAsker } from '../worker-requests/ask-workers.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
})

const put = (body: unknown) => api().of(tenant, '/settings', { method: 'PUT', body })

describe('settings', () => {
  test('a new project removes secrets and accepts every event', async () => {
    const { status, body } = await api().of(await api().tenant('Fresh'), '/settings')
    expect([status, body]).toEqual([200, defaultProjectSettings])
  })

  test('omitted fields stay, also within nested objects', async () => {
    await put({ scrubbing: { ip_addresses: true, patterns: ['EMP-\\d{6}'] }, retention_days: 30 })
    const { body } = await put({
      scrubbing: { sensitive_keys: ['national_id'] },
      filters: { localhost: true },
      allowed_origins: ['https://*.Example.com'],
    })
    expect(body).toMatchObject({
      scrubbing: {
        defaults: true,
        ip_addresses: true,
        sensitive_keys: ['national_id'],
        patterns: ['EMP-\\d{6}'],
      },
      filters: { localhost: true, web_crawlers: false },
      retention_days: 30,
      allowed_origins: ['https://*.example.com'],
    })
    const { warnings, ...settings } = body
    expect(warnings).toEqual([])
    expect((await api().of(tenant, '/settings')).body).toEqual(settings)
  })

  test('only settings that were given are stored', async () => {
    const other = await api().tenant('Sparse', accessScopes)
    await api().of(other, '/settings', { method: 'PUT', body: { retention_days: 7 } })
    const { rows } = await api().pool.query('select settings from projects where id = $1', [
      other.project.id,
    ])
    expect(rows).toEqual([
      { settings: { retention_days: 7, scrubbing: {}, filters: {}, grouping: {} } },
    ])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a pattern with a choice',   { scrubbing: { patterns: ['a|b'] } },              'scrubbing.patterns.0',  /character 2: groups and choices/],
    ['too many patterns',         { scrubbing: { patterns: Array(11).fill('a') } },  'scrubbing.patterns',    /10/],
    ['a glob of stars',           { filters: { error_messages: ['**'] } },           'filters.error_messages.0', /more than stars/],
    ['a bare host',               { allowed_origins: ['example.com'] },              'allowed_origins.0',     /scheme and a host/],
    ['retention of no day',       { retention_days: 0 },                             'retention_days',        /1/],
    ['an unknown filter',         { filters: { bots: true } },                       'filters.bots',          /unknown field/],
    ['an invalid fingerprint rule', { grouping: { fingerprint_rules: '# a\ntype:A -> {{ x }}' } }, 'grouping.fingerprint_rules', /^line 2, character 11: {{ x }} is no variable/],
    ['an invalid stack-trace rule', { grouping: { stack_trace_rules: 'level:a -app' } }, 'grouping.stack_trace_rules', /^line 1, character 1: level cannot/],
    ['rules that are too long',     { grouping: { stack_trace_rules: '#'.repeat(16_385) } }, 'grouping.stack_trace_rules', /16384/],
    ['an unknown setting',        { scrub: {} },                                     'scrub',                 /unknown field/],
  ] as const)('%s is refused and named', async (_name, body, field, rule) => {
    const answer = await put(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(answer.body.details[0].field).toContain(field)
    expect(answer.body.details[0].rule).toMatch(rule)
  })

  test('a token that may only read cannot change them', async () => {
    const contact = await api().tenant('Reader')
    const answer = await api().of(contact, '/settings', { method: 'PUT', body: {} })
    expect([answer.status, answer.body.code]).toEqual([403, 'missing_scope'])
  })
})

describe('a trial', () => {
  const attempt = (body: unknown, call: Partial<Call> = {}) =>
    api().of(tenant, '/settings/try', { method: 'POST', body, ...call })

  test('tells what the unsaved settings would remove, and stores nothing', async () => {
    await put({ scrubbing: { defaults: true, sensitive_keys: ['national_id'], patterns: [] } })
    const before = (await api().of(tenant, '/settings')).body
    const event = { message: 'EMP-123456', extra: { national_id: 'x', password: 'y' } }
    const answer = await attempt({ event, scrubbing: { patterns: ['EMP-\\d{6}'] } })
    expect([answer.status, answer.body.removed]).toEqual([
      200,
      [
        { field: 'message', rule: 'pattern 1' },
        { field: 'extra.national_id', rule: 'name of its key' },
        { field: 'extra.password', rule: 'name of its key' },
      ],
    ])
    expect(answer.body).toMatchObject({ outcome: 'stored', source: 'given', removed_before: [] })
    expect((await api().of(tenant, '/settings')).body).toEqual(before)
  })

  test('a field that is left out has its stored value, also of the filters', async () => {
    await put({ filters: { releases: ['old@*'], localhost: true } })
    const event = { release: 'old@1', request: { url: 'http://localhost/' } }
    const outcomeWith = async (filters?: object) =>
      (await attempt({ event, ...(filters && { filters }) })).body.reason
    expect(await outcomeWith()).toBe('filtered:releases')
    expect(await outcomeWith({ releases: [] })).toBe('filtered:localhost')
    expect(await outcomeWith({ releases: [], localhost: false })).toBe(null)
    await put({ filters: { releases: [], localhost: false } })
  })

  test('a stored event is tried as it was stored, and says what is gone', async () => {
    const payload = {
      event_id: hex('tried'),
      logentry: { formatted: 'Login of EMP-123456 failed' },
      extra: { password: '[Filtered]' },
      notes: [
        { field: 'extra.password', rule: 'removed by scrubbing: name of its key' },
        { field: 'level', rule: 'not a level: replaced' },
      ],
    }
    await api().addEvents(tenant, [
      { id: 'tried', hash: 't', receivedAt: at(-5), payload: JSON.stringify(payload) },
    ])
    const scrubbing = { patterns: ['EMP-\\d{6}'] }
    const answer = await attempt({ event_id: hex('tried'), scrubbing })
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        outcome: 'stored',
        source: 'stored',
        removed: [{ field: 'logentry.formatted', rule: 'pattern 1' }],
        removed_before: [{ field: 'extra.password', rule: 'name of its key' }],
        stored: { event_id: hex('tried'), received: at(-5) },
      },
    ])
    expect(answer.body.event.notes).toBeUndefined()
  })

  test('a text is read as ingest reads it', async () => {
    const event = `{"event_id":"${hex('own')}","message":"a\\u0000b","constructor":1}`
    const { status, body } = await attempt({ event })
    expect([status, body.outcome, body.stored.event_id]).toEqual([200, 'stored', hex('own')])
    expect((await attempt({ event: '{"extra":{"n":NaN}}' })).body.outcome).toBe('stored')
    expect((await attempt({ event: '{' })).body).toMatchObject({
      outcome: 'rejected',
      reason: 'invalid_json',
    })
  })

  test.each(hostileTexts.map((text) => [text.slice(0, 40), text]))(
    'a hostile event with %s is answered',
    async (_name, text) => {
      const event = `{"message":${text},"extra":${text},"event_id":${text}}`
      expect((await attempt({ event })).status).toBe(200)
      expect([200, 400]).toContain((await attempt(`{"event":${event}}`, json)).status)
    },
  )
  const json = { headers: { 'content-type': 'application/json' } }

  // biome-ignore format: the columns are the point
  test.each([
    ['neither an event nor an id', {},                                       'event',                 /not both/],
    ['both',                       { event: {}, event_id: hex('tried') },    'event',                 /not both/],
    ['a list',                     { event: [] },                            'event',                 /./],
    ['an invalid pattern',         { event: {}, scrubbing: { patterns: ['a', 'a|b'] } }, 'scrubbing.patterns.1', /character 2/],
    ['a glob of stars',            { event: {}, filters: { releases: ['**'] } }, 'filters.releases.0', /more than stars/],
    ['an unknown filter',          { event: {}, filters: { bots: true } },   'filters.bots',          /unknown field/],
    ['retention',                  { event: {}, retention_days: 3 },         'retention_days',        /unknown field/],
  ] as const)('%s is refused and named', async (_name, body, field, rule) => {
    const answer = await attempt(body)
    expect([answer.status, answer.body.details?.[0].field]).toEqual([400, field])
    expect(answer.body.details[0].rule).toMatch(rule)
  })

  test.each(['x', hex('nothing'), "' or 1=1", '0'.repeat(32)])('%s is no event', async (id) => {
    expect((await attempt({ event_id: id })).status).toBe(404)
  })

  test('an event of another project is not found', async () => {
    const other = await api().tenant('Other')
    await api().addEvents(other, [{ id: 'foreign', hash: 'f', receivedAt: at(-5) }])
    expect((await attempt({ event_id: hex('foreign') })).status).toBe(404)
    const body = { event_id: hex('foreign') }
    const own = await api().of(other, '/settings/try', { method: 'POST', body })
    expect(own.status).toBe(200)
  })

  test('a viewer may try, with a CSRF token; a token needs issues:read', async () => {
    const login = await api().login(tenant, 'viewer')
    const path = `/api/v1/projects/${tenant.project.id}/settings/try`
    const call = { method: 'POST', body: { event: {} } } as const
    expect((await api().call(path, { ...call, login })).status).toBe(200)
    const forged = await api().call(path, { ...call, login: { ...login, csrf: 'x' } })
    expect(forged.body.code).toBe('csrf_failed')
    const poor = await api().tenant('Poor', ['feedback:read'])
    const refused = await api().of(poor, '/settings/try', call)
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope'])
  })

  test('without a worker it is unavailable, and says what to check', async () => {
    const bus = { request: () => Promise.reject(new NoReplyError()) }
    const app = await buildApp({ ...api().ctx, askWorkers: workerAsker(bus) })
    const path = `/api/v1/projects/${tenant.project.id}/settings/try`
    const call = { method: 'POST', body: { event: {} }, token: tenant.token } as const
    const { status, body, headers } = await api().call(path, call, app)
    expect([status, body, headers['retry-after']]).toEqual([
      503,
      {
        code: 'unavailable',
        error: 'No worker answered within 5 s. Check that workers run.',
      },
      '5',
    ])
    await app.close()
  })
})
