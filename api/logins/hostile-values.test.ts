/** No value in any field of the routes for logins and links causes an internal error. */
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()

const hostile: readonly unknown[] = [
  'a\0b@example.com',
  '\0',
  '\ud800@example.com',
  '\u202e\u200b',
  'x'.repeat(300),
  '',
  ' ',
  1e308,
  -0,
  null,
  true,
  [],
  {},
  { toString: 'x' },
  '__proto__',
  "'; drop table people; --",
]
const paths = [
  ['POST', '/api/v1/login', { email: 'a@example.com', password: 'p' }],
  ['POST', '/api/v1/forgotten-password', { email: 'a@example.com' }],
  [
    'PATCH',
    '/api/v1/me',
    { name: 'Ada', current_password: 'p', new_password: 'a new password', organization_id: 'x' },
  ],
  ['POST', '/api/v1/organization/people', { email: 'b@example.com', role: 'member', name: 'B' }],
] as const

test.each(paths)('%s %s answers no value with an error of ours', async (method, path, fields) => {
  const tenant = await api().tenant('Hostile')
  let no = 0
  for (const field of Object.keys(fields)) {
    for (const value of hostile) {
      const login = await api().login(tenant)
      no += 1
      const answer = await api().call(path, {
        ...{ method, login, body: { ...fields, [field]: value } },
        address: `10.1.${no >> 8}.${no & 255}`,
      })
      expect([field, value, answer.status < 500], JSON.stringify(answer.body)).toEqual([
        field,
        value,
        true,
      ])
    }
  }
})

const tokens = ['%00', '..', '%2e%2e', '%ff', 'x'.repeat(43), 'x'.repeat(66), '%F0%9F%98%80', '=']
test.each([
  '/u/',
  '/preferences/',
  '/confirm/',
  '/data-export/',
  '/data-erasure/',
  '/welcome/',
  '/n/',
  '/c/',
  '/o/',
  '/api/v1/me/logins/',
])('%s with a malformed token is refused', async (path) => {
  const login = await api().login(await api().tenant('Tokens'))
  for (const token of tokens) {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      // Clients resolve "..": the request is one for the dashboard, which answers it.
      if (method === 'GET' && new URL(`${path}${token}`, 'http://local').pathname === '/') continue
      const answer = await api().call(`${path}${token}`, { method, login })
      expect([token, method, answer.status >= 400 && answer.status < 500]).toEqual([
        token,
        method,
        true,
      ])
    }
  }
})

test('a forwarded address may be any text', async () => {
  for (const forwarded of ['', ',', 'unknown', '999.1.1.1', '[::1', 'x'.repeat(5_000), '\u00e9']) {
    const { status } = await api().call('/login', {
      ...{ method: 'POST', body: { email: 'a@example.com', password: 'p' } },
      headers: { 'x-forwarded-for': forwarded },
      address: '10.9.9.9',
    })
    expect([forwarded, [401, 429].includes(status)]).toEqual([forwarded, true])
  }
})
