import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { registerCookies } from './cookies.ts'
import type { ApiInstance } from './route.ts'

async function app(apiUrl: string): Promise<ApiInstance> {
  const app: ApiInstance = Fastify({ trustProxy: '127.0.0.1' }).withTypeProvider()
  await registerCookies(app, apiUrl)
  app.get('/', (request, reply) => {
    const { [name]: value } = request.cookies
    return reply.setCookie(name, 'new', { path: '/x' }).send({ value })
  })
  return app
}

const name = 'sluice_test'

test.each([
  ['http://127.0.0.1:8031', 'http', false],
  ['http://127.0.0.1:8031', 'https', true],
  ['https://sluice.example.com', 'http', true],
  ['https://sluice.example.com', 'https', true],
])('with API_URL %s, a cookie set over %s has Secure: %s', async (apiUrl, protocol, isSecure) => {
  const headers = { 'x-forwarded-proto': protocol }
  const reply = await (await app(apiUrl)).inject({ url: '/', headers })
  const attributes = String(reply.headers['set-cookie']).split('; ')
  expect(attributes.includes('Secure')).toBe(isSecure)
  expect(attributes).toEqual(expect.arrayContaining(['Path=/x', 'SameSite=Lax']))
})

// biome-ignore format: the columns are the point
test.each([
  ['one cookie                     ', `${name}=a`,              'a'],
  ['one of several                 ', `a=b; ${name}=c; d=e`,    'c'],
  ['spaces around it               ', `a=b;${name} = c ;d`,     'c'],
  ['the first of two with the name ', `${name}=a; ${name}=b`,   'a'],
  ['an empty value                 ', `${name}=`,               ''],
  ['a longer name                  ', `x${name}=a`,             undefined],
  ['the name in a value            ', `a=${name}=b`,            undefined],
  ['a broken escape                ', `${name}=%E0%A4%A`,       '%E0%A4%A'],
  ['a NUL escape                   ', `${name}=%00`,            '\0'],
  ['a prototype name before it     ', `__proto__=x; ${name}=a`, 'a'],
])('reads %s', async (_name, cookie, value) => {
  const reply = await (await app('http://127.0.0.1:8031')).inject({ url: '/', headers: { cookie } })
  expect(reply.json().value).toBe(value)
})
