import { beforeAll, describe, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let issueId: string

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  issueId = await api().addIssue(tenant, { hashes: ['m'] })
})

describe('requests that no route accepts', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['a path that is not there',     'GET',    '/api/v1/nope',                404, 'not_found',          undefined],
    ['a method that is not there',   'PUT',    '/api/v1/projects/x/issues/y', 405, 'method_not_allowed', 'GET, HEAD, PATCH, DELETE'],
    ['a mailbox that is not there',  'GET',    '/dev/mailbox',                404, 'not_found',          undefined],
  ] as const)('%s', async (_name, method, path, status, code, allow) => {
    const answer = await api().call(path, { method })
    const { allow: allowed } = answer.headers
    expect([answer.status, answer.body.code, allowed]).toEqual([status, code, allow])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no JSON',           'application/json', '{"status":',                                400, 'invalid_json'],
    ['no body',           'application/json', '',                                          400, 'validation_failed'],
    ['another type',      'text/html',        '<p>',                                       415, 'unsupported_media_type'],
    ['more than 64 KiB',  'application/json', `{"status":"${'x'.repeat(70_000)}"}`,        413, 'body_too_large'],
    ['__proto__',         'application/json', '{"status":"resolved","__proto__":{"a":1}}', 400, 'validation_failed'],
  ] as const)('a body with %s', async (_name, type, payload, status, code) => {
    const response = await api().app.inject({
      method: 'PATCH',
      url: `/api/v1/projects/${tenant.project.id}/issues/${issueId}`,
      headers: { 'x-api-key': tenant.token, 'content-type': type },
      payload,
    })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
  })

  test('a path with an invalid encoding', async () => {
    const answer = await api().call('/api/v1/projects/%E0%A4%A/issues')
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  })

  test('every reply forbids sniffing, framing and caching', async () => {
    for (const path of ['/health', '/nope', `/api/v1/projects/${tenant.project.id}/issues`]) {
      const { headers } = await api().call(path)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      })
    }
  })
})
