import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { registerCookies } from '../http/cookies.ts'
import { clearLoginCookie, readLoginCookie, setLoginCookie } from './login-cookie.ts'

async function appOf(apiUrl: string) {
  const app = Fastify({ trustProxy: true })
  await registerCookies(app.withTypeProvider(), apiUrl)
  app.get('/read', async (request) => ({ value: readLoginCookie(request) ?? null }))
  app.get('/set', async (_request, reply) => {
    setLoginCookie(reply, 'abc-_1')
    return null
  })
  app.get('/clear', async (_request, reply) => {
    clearLoginCookie(reply)
    return null
  })
  return app
}

test.each([
  ['sluice_login=value', 'value'],
  ['a=b; sluice_login=value; c=d', 'value'],
  ['a=b;sluice_login = value ;c', 'value'],
  ['sluice_login=first; sluice_login=second', 'first'],
  ['sluice_login=', null],
  ['sluice_login', null],
  ['xsluice_login=value', null],
  ['a=sluice_login=value', null],
  ['sluice_login=%E0%A4%A', '%E0%A4%A'],
  ['__proto__=a; sluice_login=value', 'value'],
  ['', null],
  [undefined, null],
])('the login cookie in the header %j is %j', async (header, value) => {
  const app = await appOf('http://127.0.0.1:8031')
  const headers = header === undefined ? {} : { cookie: header }
  expect((await app.inject({ url: '/read', headers })).json()).toEqual({ value })
})

// biome-ignore format: the columns are the point
test.each([
  ['http://127.0.0.1:8031',      'http',  false],
  ['http://127.0.0.1:8031',      'https', true],
  ['https://sluice.example.com', 'http',  true],
])('with the API URL %s and a request over %s, Secure is %s', async (apiUrl, protocol, secure) => {
  const app = await appOf(apiUrl)
  const headers = { 'x-forwarded-proto': protocol }
  const end = secure ? '; Path=/; HttpOnly; Secure; SameSite=Lax' : '; Path=/; HttpOnly; SameSite=Lax'
  const set = await app.inject({ url: '/set', headers })
  expect(set.headers['set-cookie']).toBe(`sluice_login=abc-_1; Max-Age=2592000${end}`)
  const cleared = await app.inject({ url: '/clear', headers })
  expect(cleared.headers['set-cookie']).toBe(`sluice_login=; Max-Age=0${end}`)
})
