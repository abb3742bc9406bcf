import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { checkEndUserToken } from './enduser-token.ts'

const nowMs = Date.parse('2026-11-21T01:30:00.000Z')
const nowSeconds = nowMs / 1000
const projectKey = '5a3f6c1e-2b4d-4e6f-8a9b-0c1d2e3f4a5b'
const secret = 'q2m5xw8Zr1tY4uIoPaSdFgHjKlZxCvBnM0987654321'
const older = 'an older secret that still counts for a while'
const key = (text: string) => Buffer.from(text, 'utf8')
const rules = { keys: [key(secret), key(older)], projectKey, nowMs }

type Json = Record<string, unknown>
const claims = (more: Json = {}): Json => ({ sub: '42', exp: nowSeconds + 600, ...more })
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (head: unknown, body: unknown, by = secret) => raw(part(head), part(body), by)

/** Signs any two parts, valid or not. */
function raw(head: string, body: string, by = secret): string {
  const mac = createHmac('sha256', by).update(`${head}.${body}`).digest('base64url')
  return `${head}.${body}.${mac}`
}

const plain = { alg: 'HS256', typ: 'JWT' }
const kindOf = async (token: string, more: Partial<typeof rules> = {}) =>
  (await checkEndUserToken(token, { ...rules, ...more })).kind
const reasonOf = async (token: string) => {
  const checked = await checkEndUserToken(token, rules)
  return checked.kind === 'user' ? undefined : checked.reason
}

describe('a valid token', () => {
  test('of another implementation names its user, with address and name', async () => {
    const token = await new SignJWT({ email: 'Ada@Example.com', name: ' Ada ' })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject('user-42')
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + 3_600)
      .sign(key(secret))
    expect(await checkEndUserToken(token, rules)).toEqual({
      kind: 'user',
      user: { enduserId: 'user-42', email: 'Ada@example.com', name: 'Ada' },
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['without typ                           ', signed({ alg: 'HS256' }, claims())],
    ['signed with the secret before         ', signed(plain, claims(), older)],
    ['that names this project               ', signed(plain, claims({ project_key: projectKey.toUpperCase() }))],
    ['with a kid, which is not followed     ', signed({ ...plain, kid: '../../etc/passwd' }, claims())],
    ['with a key in it, which is not used   ', signed({ ...plain, jwk: { kty: 'oct', k: 'AA' }, jku: 'http://x', x5u: 'http://x' }, claims())],
    ['with claims that nobody asked for     ', signed(plain, claims({ aud: 'x', admin: true }))],
    ['whose nbf is 60 s ahead               ', signed(plain, claims({ nbf: nowSeconds + 60, iat: nowSeconds + 60 }))],
    ['that ends in 30 days                  ', signed(plain, claims({ exp: nowSeconds + 30 * 86_400 }))],
    ['with 255 characters of sub            ', signed(plain, claims({ sub: 'x'.repeat(255) }))],
    ['with sub twice: the parser’s last     ', raw(part(plain), Buffer.from(`{"sub":"a","sub":"42","exp":${nowSeconds + 60}}`).toString('base64url'))],
  ])('%s', async (_name, token) => {
    expect(await checkEndUserToken(token, rules)).toMatchObject({ kind: 'user' })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['one second before its end            ', -1, 'user'],
    ['within the leeway                    ', 59, 'user'],
    ['at the end of the leeway             ', 60, 'expired'],
    ['one second past it                   ', 61, 'expired'],
  ] as const)('%s', async (_name, seconds, kind) => {
    const token = signed(plain, claims({ exp: nowSeconds }))
    expect(await kindOf(token, { nowMs: nowMs + seconds * 1000 })).toBe(kind)
  })
})

describe('a forged token is refused', () => {
  const good = signed(plain, claims())
  const [head = '', body = '', mac = ''] = good.split('.')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rsaHead = part({ alg: 'RS256', typ: 'JWT' })
  const rsa = createSign('sha256').update(`${rsaHead}.${body}`).sign(privateKey, 'base64url')
  const spellings = [
    'none',
    'None',
    'NONE',
    'nOnE',
    'none ',
    '',
    'hs256',
    'HS256 ',
    'HS384',
    'HS512',
    'ES256',
  ]
  const lastCharacter = mac.at(-1)!
  const spare = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const otherLast = spare[spare.indexOf(lastCharacter) + 1]!

  test.each(spellings)('alg %j, with and without a signature', async (alg) => {
    const forged = signed({ alg, typ: 'JWT' }, claims())
    expect(await kindOf(forged)).toBe('invalid')
    expect(await kindOf(`${forged.split('.').slice(0, 2).join('.')}.`)).toBe('invalid')
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an RSA signature                      ', `${rsaHead}.${body}.${rsa}`],
    ['RS256 with the secret as its key      ', signed({ alg: 'RS256' }, claims())],
    ['alg as an array                       ', signed({ alg: ['HS256'] }, claims())],
    ['no alg                                ', signed({ typ: 'JWT' }, claims())],
    ['another secret                        ', signed(plain, claims(), 'guess')],
    ['the empty secret                      ', signed(plain, claims(), '')],
    ['the secret decoded from base64url     ', (() => { const m = createHmac('sha256', Buffer.from(secret, 'base64url')).update(`${head}.${body}`).digest('base64url'); return `${head}.${body}.${m}` })()],
    ['another payload under the signature   ', `${head}.${part(claims({ sub: 'admin' }))}.${mac}`],
    ['an empty signature                    ', `${head}.${body}.`],
    ['a cut signature                       ', `${head}.${body}.${mac.slice(0, 20)}`],
    ['a longer signature                    ', `${head}.${body}.${mac}AAAA`],
    ['spare bits in the signature           ', `${head}.${body}.${mac.slice(0, -1)}${otherLast}`],
    ['padding                               ', `${head}.${body}.${mac}=`],
    ['the other base64 alphabet             ', good.replaceAll('-', '+').replaceAll('_', '/').concat('+')],
    ['two parts                             ', `${head}.${body}`],
    ['four parts                            ', `${good}.x`],
    ['nothing                               ', ''],
    ['dots                                  ', '..'],
    ['a space inside                        ', `${head} .${body}.${mac}`],
    ['a header that is no JSON              ', raw(Buffer.from('{').toString('base64url'), body)],
    ['a header that is a list               ', signed(['HS256'], claims())],
    ['another typ                           ', signed({ alg: 'HS256', typ: 'at+jwt' }, claims())],
    ['crit                                  ', signed({ ...plain, crit: [] }, claims())],
    ['a payload that is no object           ', signed(plain, 'me')],
    ['a payload that is null                ', signed(plain, null)],
    ['a payload that is not UTF-8           ', raw(head, Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url'))],
    ['no exp                                ', signed(plain, { sub: '42' })],
    ['exp as text                           ', signed(plain, claims({ exp: String(nowSeconds + 60) }))],
    ['exp null                              ', signed(plain, claims({ exp: null }))],
    ['exp beyond all numbers                ', raw(head, Buffer.from('{"sub":"42","exp":1e999}').toString('base64url'))],
    ['exp beyond 30 days                    ', signed(plain, claims({ exp: nowSeconds + 30 * 86_400 + 1 }))],
    ['nbf 61 s ahead                        ', signed(plain, claims({ nbf: nowSeconds + 61 }))],
    ['iat 61 s ahead                        ', signed(plain, claims({ iat: nowSeconds + 61 }))],
    ['nbf as text                           ', signed(plain, claims({ nbf: 'now' }))],
    ['no sub                                ', signed(plain, { exp: nowSeconds + 60 })],
    ['a blank sub                           ', signed(plain, claims({ sub: '  ' }))],
    ['a number as sub                       ', signed(plain, claims({ sub: 42 }))],
    ['256 characters of sub                 ', signed(plain, claims({ sub: 'x'.repeat(256) }))],
    ['a control character in sub            ', signed(plain, claims({ sub: 'a\u0000b' }))],
    ['another project                       ', signed(plain, claims({ project_key: '5a3f6c1e-2b4d-4e6f-8a9b-0c1d2e3f4a5c' }))],
    ['an invalid address                    ', signed(plain, claims({ email: 'ada' }))],
    ['more than 4 KiB                       ', signed(plain, claims({ padding: 'x'.repeat(3_000) }))],
  ])('%s', async (_name, token) => {
    expect(await kindOf(token)).toBe('invalid')
  })

  test('a project without a secret accepts no token', async () => {
    expect(await kindOf(good, { keys: [] })).toBe('invalid')
    expect(await kindOf(signed(plain, claims(), ''), { keys: [key('')] })).toBe('invalid')
  })

  test('a token with one flipped bit is refused', async () => {
    for (let index = 0; index < good.length; index += 1) {
      const code = good.charCodeAt(index) ^ 1
      const flipped = good.slice(0, index) + String.fromCharCode(code) + good.slice(index + 1)
      expect(await kindOf(flipped), `at ${index}`).toBe('invalid')
    }
  })

  test('the reason names the claim, and never the secret', async () => {
    expect(await reasonOf(signed(plain, { sub: '42' }))).toContain('"exp"')
    expect(await reasonOf(signed(plain, claims(), 'guess'))).not.toContain(secret)
  })
})
