import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { emptyLoginCookie, formatLoginCookie, isSecure, readLoginCookie } from './login-cookie.ts'

test.each([
  ['sluice_login=value', 'value'],
  ['a=b; sluice_login=value; c=d', 'value'],
  ['a=b;sluice_login = value ;c', 'value'],
  ['sluice_login=first; sluice_login=second', 'first'],
  ['sluice_login=', undefined],
  ['sluice_login', undefined],
  ['xsluice_login=value', undefined],
  ['a=sluice_login=value', undefined],
  ['', undefined],
  [undefined, undefined],
])('of the header %j the login is %j', (cookie, value) => {
  expect(readLoginCookie({ headers: { cookie } } as FastifyRequest)).toBe(value)
})

test.each([
  ['http://127.0.0.1:8031', 'http', false],
  ['http://127.0.0.1:8031', 'https', true],
  ['https://sluice.example.com', 'http', true],
])('reached as %s over %s the cookie is secure: %s', (apiUrl, protocol, secure) => {
  expect(isSecure({ protocol } as FastifyRequest, apiUrl)).toBe(secure)
  expect(formatLoginCookie('v', { secure }).endsWith('; Secure')).toBe(secure)
  expect(emptyLoginCookie({ secure }).endsWith('; Secure')).toBe(secure)
})
