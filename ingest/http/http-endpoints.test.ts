/** The endpoints other than envelopes and single events, and how each refuses. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  awayKey,
  disabledKey,
  id,
  key,
  otherProjectKey,
  pagesKey,
  serveTests,
} from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()

async function call(path: string, init: RequestInit = {}) {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, init)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

/** The payloads of records of that kind. */
function payloads(kind: string): unknown[] {
  return server
    .records()
    .filter((record) => record.kind === kind)
    .map((record) => JSON.parse(Buffer.from(record.payload).toString()))
}

describe('a check-in without an SDK', () => {
  const withKey = `/api/42/cron/nightly/${key}/`

  // biome-ignore format: the columns are the point
  test.each([
    ['GET, key in the path   ', `${withKey}?status=ok`,                          {}],
    ['no slash at the end    ', `/api/42/cron/nightly/${key}?status=ok`,         {}],
    ['POST with a query      ', `${withKey}?status=ok`,                          { method: 'POST' }],
    ['key in the query       ', `/api/42/cron/nightly/?status=ok&sentry_key=${key}`, {}],
    ['key in a header        ', '/api/42/cron/nightly/?status=ok',               { headers: { 'X-Sentry-Auth': `Sentry sentry_key=${key}` } }],
    ['key as basic user      ', '/api/42/cron/nightly?status=ok',                { headers: { authorization: `Basic ${btoa(`${key}:`)}` } }],
    ['a form                 ', withKey,                                         { method: 'POST', body: new URLSearchParams({ status: 'ok' }) }],
    ['JSON                   ', withKey,                                         { method: 'POST', body: '{"status":"ok"}', headers: { 'content-type': 'application/json' } }],
    ['JSON, compressed       ', withKey,                                         { method: 'POST', body: gzipSync('{"status":"ok"}'), headers: { 'content-encoding': 'gzip' } }],
    ['behind a proxy prefix  ', `/sluice${withKey}?status=ok`,                   {}],
  ] as const)('is answered 202 without a body, and becomes a record: %s', async (_name, path, init) => {
    const reply = await call(path, init)
    expect(reply).toMatchObject({ status: 202, text: '' })
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(server.records()).toMatchObject([{ kind: 'check_in', projectId: 42, dsnKeyNo: 1, leaseNo: 0 }])
    expect(payloads('check_in')).toEqual([
      { check_in_id: '0'.repeat(32), monitor_slug: 'nightly', status: 'ok' },
    ])
  })

  test('is a new record each time, in the partition of its monitor', async () => {
    for (let count = 0; count < 8; count += 1) await call(`${withKey}?status=ok`)
    expect(new Set(server.records().map(({ recordId }) => recordId)).size).toBe(8)
    expect(new Set(server.frames.map(({ frame }) => frame.partition)).size).toBe(1)
  })

  test('is never refused for quota', async () => {
    const { path, projectId } = server.project({ monthlyEvents: 0 })
    const projectKey = new URLSearchParams(path.split('?')[1]).get('sentry_key')
    expect((await server.post(path, '{}\n{"type":"event"}\n{}')).status).toBe(429)
    const reply = await call(`/api/${projectId}/cron/nightly/${projectKey}/?status=ok`)
    expect(reply.status).toBe(202)
    expect(reply.headers.get('x-sentry-rate-limits')).toBeNull()
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no status              ', withKey,                                             {},                 400, 'rejected invalid_check_in 1'],
    ['an unknown status      ', `${withKey}?status=done`,                            {},                 400, 'rejected invalid_check_in 1'],
    ['a project name         ', `/api/shop/cron/nightly/${key}/?status=ok`,          {},                 400, undefined],
    ['a malformed key        ', '/api/42/cron/nightly/xyz/?status=ok',               {},                 400, undefined],
    ['a corrupt body         ', withKey, { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } }, 400, 'rejected bad_encoding 1'],
    ['no key                 ', '/api/42/cron/nightly/?status=ok',                   {},                 401, undefined],
    ['an unknown key         ', `/api/42/cron/nightly/${'9'.repeat(32)}/?status=ok`, {},                 403, undefined],
    ['a disabled key         ', `/api/42/cron/nightly/${disabledKey}/?status=ok`,    {},                 403, undefined],
    ['a key of another       ', `/api/42/cron/nightly/${otherProjectKey}/?status=ok`, {},                403, undefined],
    ['no slug                ', '/api/42/cron/?status=ok',                           {},                 404, undefined],
    ['too much behind it     ', `${withKey}more/?status=ok`,                         {},                 404, undefined],
    ['another method         ', `${withKey}?status=ok`,                              { method: 'PUT' },  405, undefined],
    ['a body too large       ', withKey, { method: 'POST', body: `{"status":"ok","a":"${'x'.repeat(100 * 1024)}"}` }, 413, 'rejected too_large 1'],
    ['an unknown encoding    ', `${withKey}?status=ok`, { method: 'POST', body: 'x', headers: { 'content-encoding': 'rot13' } }, 415, 'rejected bad_encoding 1'],
    ['an unavailable store   ', `/api/42/cron/nightly/${awayKey}/?status=ok`,        {},                 503, undefined],
  ] as const)('is refused: %s', async (_name, path, init, status, outcome) => {
    await call(`${withKey}?status=ok`)
    server.frames.length = 0
    const reply = await call(path, init)
    expect(reply.status).toBe(status)
    expect(JSON.parse(reply.text)).toEqual({ detail: expect.any(String), causes: expect.any(Array) })
    expect(payloads('check_in')).toEqual([])
    if (outcome === undefined) expect(server.outcomes()).toEqual([])
    else await expect.poll(() => server.outcomes()).toEqual([outcome])
  })

  test('that is refused names the field and the rule', async () => {
    const { text } = await call(`${withKey}?status=done`)
    expect(JSON.parse(text)).toEqual({
      detail: 'invalid check-in',
      causes: ['status must be in_progress, ok or error'],
    })
  })

  test('is answered 405 with the allowed methods', async () => {
    const { headers } = await call(`${withKey}?status=ok`, { method: 'DELETE' })
    expect(headers.get('allow')).toBe('GET, POST, OPTIONS')
  })
})

describe('a security report', () => {
  const path = `/api/42/security/?sentry_key=${key}&sentry_release=shop%401&sentry_environment=dev`
  const csp = '{"csp-report":{"effective-directive":"img-src","blocked-uri":"https://a.example/x"}}'
  const headers = { 'content-type': 'application/csp-report' }

  test.each([path, path.replace('/security/', '/csp-report/')])(
    'becomes an event, which is charged: %s',
    async (each) => {
      const reply = await server.post(each, csp, headers)
      const [record, ...others] = server.records()
      expect(others).toEqual([])
      expect(reply).toMatchObject({ status: 200, text: `{"id":"${record?.recordId}"}` })
      expect(record).toMatchObject({ kind: 'event', projectId: 42 })
      expect(record?.leaseNo).toBeGreaterThan(0)
      expect(payloads('event')).toMatchObject([
        { release: 'shop@1', environment: 'dev', csp: { 'blocked-uri': 'https://a.example/x' } },
      ])
    },
  )

  test('list becomes one event per report, and other reports are counted', async () => {
    const violation = '{"type":"csp-violation","body":{"effectiveDirective":"img-src"}}'
    const body = `[${violation},{"type":"deprecation","body":{}},${violation}]`
    const type = { 'content-type': 'application/reports+json; charset=utf-8' }
    expect(await server.post(path, body, type)).toMatchObject({ status: 200 })
    expect(payloads('event')).toHaveLength(2)
    expect(server.outcomes()).toEqual(['unsupported unsupported:deprecation 1'])
  })

  test('in a list that is too long is rejected beyond the limit', async () => {
    const violation = '{"type":"csp-violation","body":{"effectiveDirective":"img-src"}}'
    const body = `[${new Array(103).fill(violation).join(',')}]`
    expect(await server.post(path, body)).toMatchObject({ status: 415 })
    const type = { 'content-type': 'application/reports+json' }
    expect(await server.post(path, body, type)).toMatchObject({ status: 200 })
    expect(payloads('event')).toHaveLength(100)
    expect(server.outcomes()).toContain('rejected too_many_items 3')
  })

  test('without an accepted report is answered with an empty object', async () => {
    const type = { 'content-type': 'application/reports+json' }
    const reply = await server.post(path, '[{"type":"crash","body":{}}]', type)
    expect(reply).toMatchObject({ status: 200, text: '{}' })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no JSON              ', path,                                   'nope',                  headers,                            400, 'rejected invalid_json 1'],
    ['no report            ', path,                                   '{}',                    headers,                            400, 'rejected invalid_json 1'],
    ['no key               ', '/api/42/security/',                    csp,                     headers,                            401, undefined],
    ['an unknown key       ', `/api/42/security/?sentry_key=${'9'.repeat(32)}`, csp,           headers,                            403, undefined],
    ['more than an event   ', path,                                   `{"a":"${'x'.repeat(1024 * 1024)}"}`, headers,              413, 'rejected too_large 1'],
    ['another content type ', path,                                   csp,                     { 'content-type': 'text/html' },    415, 'rejected bad_encoding 1'],
  ] as const)('is refused: %s', async (_name, each, body, type, status, outcome) => {
    expect(await server.post(each, body, type)).toMatchObject({ status })
    expect(payloads('event')).toEqual([])
    if (outcome !== undefined) await expect.poll(() => server.outcomes()).toEqual([outcome])
  })

  test('over quota is answered like an event', async () => {
    const project = server.project({ monthlyEvents: 0 })
    const reply = await server.post(project.path.replace('envelope', 'security'), csp, headers)
    expect(reply.status).toBe(429)
    expect(reply.headers.get('x-sentry-rate-limits')).toMatch(/^\d+:error:project:quota_exceeded$/)
    expect(server.outcomes()).toEqual(['over_quota  1'])
  })

  test('by GET is not allowed', async () => {
    const reply = await call(path)
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST, OPTIONS')
  })
})

describe('OTLP traces', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['/api/42/integration/otlp/v1/traces/', 'application/json',       'application/json',       '{}'],
    ['/api/42/integration/otlp/v1/traces',  'application/x-protobuf', 'application/x-protobuf', ''],
    ['/api/42/otlp/v1/traces',              'application/json',       'application/json',       '{}'],
  ] as const)('are answered with success in the sender\'s encoding, and counted: %s as %s', async (path, sent, type, text) => {
    const headers = { 'content-type': sent, 'x-sentry-auth': `sentry sentry_key=${key}` }
    const reply = await server.post(path, 'anything', headers)
    expect(reply).toMatchObject({ status: 200, text })
    expect(reply.headers.get('content-type')).toBe(type)
    expect(server.outcomes()).toEqual(['unsupported unsupported:otel_span 1'])
  })

  test('are refused without a key', async () => {
    expect(await server.post('/api/42/integration/otlp/v1/traces', '{}')).toMatchObject({
      status: 401,
    })
  })
})

describe('the health checks of Sentry Relay', () => {
  test.each(['live', 'live/', 'ready', 'ready/'])('say that all is well: %s', async (end) => {
    const reply = await call(`/api/relay/healthcheck/${end}`)
    expect(reply).toMatchObject({ status: 200, text: '{"is_healthy":true}' })
  })

  test('report live but not ready while no event can be accepted', async () => {
    server.readiness.report = { status: 'not ready', dependencies: {} }
    expect(await call('/api/relay/healthcheck/live/')).toMatchObject({ status: 200 })
    expect(await call('/api/relay/healthcheck/ready/')).toMatchObject({
      status: 503,
      text: '{"is_healthy":false}',
    })
  })
})

describe('a project with allowed origins', () => {
  const path = `/api/42/envelope/?sentry_key=${pagesKey}`
  const post = (headers: Record<string, string>) => {
    return server.post(path, '{}\n{"type":"event"}\n{}', headers)
  }

  // biome-ignore format: the columns are the point
  test.each([
    ['no page at all      ', {},                                         200],
    ['an allowed page     ', { origin: 'https://shop.example' },         200],
    ['a page below it     ', { origin: 'https://www.shop.example' },     200],
    ['another page        ', { origin: 'https://other.example' },        403],
    ['a look-alike        ', { origin: 'https://evilshop.example' },     403],
    ['another scheme      ', { origin: 'http://shop.example' },          403],
    ['a page without one  ', { origin: 'null' },                         403],
  ] as const)('accepts requests of allowed origins only: %s', async (_name, headers, status) => {
    const reply = await post(headers)
    expect(reply.status).toBe(status)
    expect(server.events()).toHaveLength(status === 200 ? 1 : 0)
    if (status === 200) return
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(JSON.parse(reply.text).detail).toBe('the origin of the page is not allowed')
    await expect.poll(() => server.outcomes()).toEqual(['rejected origin_not_allowed 1'])
  })

  test('also checks the origin of a request whose key is in the envelope', async () => {
    const body = `{"dsn":"http://${pagesKey}@host/42"}\n{"type":"event"}\n{}`
    const headers = { origin: 'https://other.example' }
    expect(await server.post('/api/42/envelope/', body, headers)).toMatchObject({ status: 403 })
  })
})

describe('a preflight', () => {
  test.each(['envelope', 'store', 'security', `cron/nightly/${key}`, 'otlp/v1/traces'])(
    'of a browser is answered: %s',
    async (end) => {
      const reply = await call(`/api/42/${end}/`, { method: 'OPTIONS' })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('access-control-allow-headers')).toContain('x-sentry-auth')
    },
  )
})

test('an unknown path with a project id is not found', async () => {
  expect(await call(`/api/42/events/${id}/`)).toMatchObject({ status: 404 })
})
