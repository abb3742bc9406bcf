/** Requests to `POST /mcp` that are refused before, or by, the protocol. */
import { beforeAll, describe, expect, test } from 'vitest'
import { emailBodyBytesMax } from '#schemas/rest/email/email-source.ts'
import { type Answer, apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { tokenWith } from '../../test/fixtures/mcp/mcp-client.ts'
import { buildApp } from '../app.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop')
})

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function post(
  body: unknown,
  headers: Readonly<Record<string, string>> = bearer(tenant.token),
  app = api().app,
): Promise<Answer> {
  const type = { 'content-type': 'application/json' }
  const call = { method: 'POST', headers: { ...type, ...headers }, body } as const
  return api().call('/mcp', call, app)
}

test('a plain request without any negotiation is answered as one JSON object', async () => {
  const { status, headers, body } = await post(listTools)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(headers['mcp-session-id']).toBeUndefined()
  expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: expect.any(Array) } })
})

test('GET and DELETE are 405, because there are no streams and no sessions', async () => {
  for (const method of ['GET', 'DELETE', 'PUT'] as const) {
    const { status, headers } = await api().call('/mcp', { method })
    expect([method, status, headers['allow']]).toEqual([method, 405, 'POST'])
  }
})

describe('credentials', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['none',             {},                                          'missing_credentials', 'Bearer realm="sluice"'],
    ['an empty value',   { authorization: ' ' },                      'missing_credentials', 'Bearer realm="sluice"'],
    ['a cookie only',    { cookie: 'sluice_login=x' },                'missing_credentials', 'Bearer realm="sluice"'],
    ['another scheme',   { authorization: 'Basic b2F0Og==' },         'invalid_credentials', 'Bearer realm="sluice", error="invalid_token"'],
    ['an unknown token', bearer(`oat_${'b'.repeat(43)}`),             'invalid_credentials', 'Bearer realm="sluice", error="invalid_token"'],
    ['a malformed one',  bearer('oat_x'),                             'invalid_credentials', 'Bearer realm="sluice", error="invalid_token"'],
  ] as const)('%s: 401', async (_name, headers, code, challenge) => {
    const answer = await post(listTools, headers)
    expect([answer.status, answer.body.code]).toEqual([401, code])
    expect(answer.headers['www-authenticate']).toBe(challenge)
  })

  test('a token in X-API-Key and an API key do not open the endpoint', async () => {
    expect((await post(listTools, { 'x-api-key': tenant.token })).status).toBe(401)
  })

  test('a revoked and an expired token are 401 on the next request', async () => {
    const token = await tokenWith(api(), tenant, ['issues:read'])
    expect((await post(listTools, bearer(token))).status).toBe(200)
    await api().pool.query(`update access_tokens set expires_at = $1 where label = 'assistant'`, [
      new Date(api().time.nowMs),
    ])
    expect((await post(listTools, bearer(token))).status).toBe(401)
    const other = await tokenWith(api(), tenant, ['issues:read'])
    expect((await post(listTools, bearer(other))).status).toBe(200)
    await api().pool.query(`update access_tokens set revoked_at = now() where label = 'assistant'`)
    expect((await post(listTools, bearer(other))).status).toBe(401)
  })

  test('the scheme is case-insensitive, and the last use of the token is stored', async () => {
    const own = await api().tenant('Used')
    const answer = await post(listTools, { authorization: `bearer   ${own.token}` })
    expect(answer.status).toBe(200)
    // It is stored after the reply.
    await expect
      .poll(async () => {
        const { rows } = await api().pool.query(
          'select last_used_at from access_tokens where id = $1',
          [own.tokenId],
        )
        return rows[0].last_used_at
      })
      .not.toBeNull()
  })
})

test('the requests of a token count together over this endpoint and the routes', async () => {
  const app = await buildApp(api().ctx)
  const busy = await api().tenant('Busy')
  const path = `/api/v1/projects/${busy.project.id}/releases`
  for (let call = 1; call <= 299; call += 1) {
    expect((await post({}, bearer(busy.token), app)).status).toBeLessThan(429)
  }
  const last = await api().call(path, { token: busy.token }, app)
  expect([last.status, last.headers['ratelimit-remaining']]).toEqual([200, '0'])
  const refused = await post(listTools, bearer(busy.token), app)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(refused.headers['www-authenticate']).toBeUndefined()
  await app.close()
})

test('guesses are counted by client address', async () => {
  const app = await buildApp(api().ctx)
  const wrong = bearer(`oat_${'b'.repeat(43)}`)
  for (let call = 1; call <= 300; call += 1) {
    expect((await post(listTools, wrong, app)).status).toBe(401)
  }
  expect((await post(listTools, wrong, app)).status).toBe(429)
  expect((await post(listTools, bearer(tenant.token), app)).status).toBe(200)
  await app.close()
})

describe('the Origin of a browser', () => {
  test.each([
    ['https://evil.example'],
    ['null'],
    ['http://127.0.0.1:9999'],
    ['http://localhost:8031'],
    ['https://127.0.0.1:8031'],
    ['http://127.0.0.1:8031.evil.example'],
  ])('%s is refused, before the token is checked', async (origin) => {
    for (const headers of [{ origin }, { ...bearer(tenant.token), origin }]) {
      const answer = await post(listTools, headers)
      expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed'])
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('its own origin is accepted', async () => {
    const own = { ...bearer(tenant.token), origin: 'http://127.0.0.1:8031' }
    expect((await post(listTools, own)).status).toBe(200)
  })
})

describe('bodies', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['another content type', 'text/plain',       JSON.stringify(listTools), 415, 'unsupported_media_type'],
    ['a form',               'application/x-www-form-urlencoded', 'a=b',    415, 'unsupported_media_type'],
    ['no JSON',              'application/json', '{"jsonrpc":',             400, 'invalid_json'],
    ['nothing',              'application/json', '',                        400, 'invalid_json'],
    ['a batch',              'application/json', `[${JSON.stringify(listTools)}]`, 400, 'validation_failed'],
    ['an empty batch',       'application/json', '[]',                      400, 'validation_failed'],
    ['NUL in a text',        'application/json', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{"name_contains":"a\\u0000"}}}', 400, 'validation_failed'],
    ['a prototype',          'application/json', '{"jsonrpc":"2.0","__proto__":{"id":1}}', 400, 'validation_failed'],
    ['too many bytes',       'application/json', `{"a":"${'x'.repeat(emailBodyBytesMax)}"}`, 413, 'body_too_large'],
    ['too many values',      'application/json', `{"a":[${'1,'.repeat(30_000)}1]}`, 400, 'validation_failed'],
  ] as const)('%s', async (_name, type, payload, status, code) => {
    const response = await api().app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...bearer(tenant.token), 'content-type': type },
      payload,
    })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
  })

  test.each([
    ['null', null],
    ['a number', 1],
    ['a text', '"x"'],
    ['an object without a method', {}],
    ['another version of JSON-RPC', { ...listTools, jsonrpc: '1.0' }],
    ['an id that is an object', { ...listTools, id: {} }],
    ['params that are a list', { ...listTools, params: [] }],
  ])('%s is 400', async (_name, body) => {
    const response = await api().app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...bearer(tenant.token), 'content-type': 'application/json' },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect([response.statusCode, response.body.length > 0]).toEqual([400, true])
  })
})

describe('the protocol', () => {
  test('an unknown version of the header is refused with the versions that are known', async () => {
    const headers = { ...bearer(tenant.token), 'mcp-protocol-version': '1999-01-01' }
    const { status, body } = await post(listTools, headers)
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('2025-11-25')])
  })

  test('initialize with an unknown version is answered with a known one', async () => {
    const params = {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const { status, body } = await post({ ...listTools, method: 'initialize', params })
    expect([status, body.result.protocolVersion]).toEqual([200, '2025-11-25'])
  })

  test('a current request for an unknown version is refused', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = {
      ...bearer(tenant.token),
      'mcp-protocol-version': '2099-01-01',
      'mcp-method': 'tools/list',
    }
    const { status, body } = await post({ ...listTools, params: { _meta } }, headers)
    expect([status, body.error.data.supported]).toEqual([400, ['2026-07-28']])
  })

  test('a notification is accepted without a reply', async () => {
    const { status, body } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([status, body]).toEqual([202, ''])
  })

  test('an unknown method and an unknown tool are JSON-RPC errors with the id', async () => {
    const unknown = await post({ ...listTools, id: 'x', method: 'resources/list' })
    expect(unknown.body).toMatchObject({ id: 'x', error: { code: -32601 } })
    const call = { ...listTools, method: 'tools/call', params: { name: 'nope', arguments: {} } }
    expect((await post(call)).body).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  test('a stream of changes ends at once, because lists do not change', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = {
      ...bearer(tenant.token),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    }
    const params = { _meta, notifications: { toolsListChanged: true } }
    const { status, body } = await post(
      { ...listTools, method: 'subscriptions/listen', params },
      headers,
    )
    expect([status, String(body).includes('resultType')]).toEqual([200, true])
  })
})
