import { expect, test } from 'vitest'
import { readToken } from './read-token.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: unknown, header: unknown = { alg: 'HS256', typ: 'JWT' }) =>
  `${part(header)}.${part(claims)}.c2ln`

const wrongIn = (read: ReturnType<typeof readToken>) =>
  [...(read?.header ?? []), ...(read?.claims ?? [])]
    .filter(({ isWrong }) => isWrong)
    .map(({ name }) => name)

const claims = {
  sub: '42',
  exp: Date.UTC(2026, 10, 24, 10) / 1_000,
  email: 'no address',
  name: 'Zoë',
}

// biome-ignore format: the columns are the point
test.each([
  ['"exp" was 2026-11-20T10:00:00.000Z', ['exp']],
  ['"email" must be an email address', ['email']],
  ['its header does not have "alg": "HS256"', ['alg']],
  ['its signature was not made with a secret of this project', []],
  [undefined, []],
])('%s marks %j', (reason, wrong) => {
  expect(wrongIn(readToken(token(claims), reason))).toEqual(wrong)
})

test('names the time of exp and keeps text of all scripts', () => {
  const read = readToken(` ${token(claims)}\n`, undefined)
  expect(read?.claims).toContainEqual(
    expect.objectContaining({ name: 'exp', meaning: '2026-11-24T10:00:00.000Z' }),
  )
  expect(read?.claims).toContainEqual(expect.objectContaining({ name: 'name', value: 'Zoë' }))
})

test.each(['', 'a.b', 'a.b.c', 'a.b.c.d', token('text'), token([1]), `${part({})}.%.c`])(
  'what is no token is not read: %j',
  (text) => {
    expect(readToken(text, undefined)).toBeUndefined()
  },
)

test('hostile values are bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`c${index}`, index]))
  const read = readToken(token({ exp: 1e300, long: 'x'.repeat(10_000), ...many }), undefined)
  expect(read?.claims).toHaveLength(30)
  expect(read?.claims[0]).toMatchObject({ name: 'exp', meaning: undefined })
  expect(read?.claims[1]?.value).toHaveLength(301)
})
