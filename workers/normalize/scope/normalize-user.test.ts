import { expect, test } from 'vitest'
import { Notes } from '../values/notes.ts'
import { readUser, type UserContext } from './normalize-user.ts'

function read(user: unknown, context: Partial<UserContext> = {}) {
  return readUser(user, {
    platform: 'python',
    address: '192.0.2.1',
    remoteAddress: undefined,
    inferIp: undefined,
    sentPayload: Buffer.from(JSON.stringify({ user })),
    notes: new Notes(),
    ...context,
  })
}

// biome-ignore format: the columns are the point
test.each([
  ['its own address                            ', { ip_address: '203.0.113.9' }, {}, '203.0.113.9'],
  ['{{auto}} is the connection                 ', { ip_address: '{{auto}}' }, {}, '192.0.2.1'],
  ['{{auto}} against the setting               ', { ip_address: '{{auto}}' }, { inferIp: 'never' }, ''],
  ['none, from a server                        ', {}, {}, ''],
  ['none, from a browser                       ', {}, { platform: 'javascript' }, '192.0.2.1'],
  ['no user at all, from a browser             ', undefined, { platform: 'javascript' }, '192.0.2.1'],
  ['none, from a phone                         ', {}, { platform: 'cocoa' }, '192.0.2.1'],
  ['none, from a browser against the setting   ', {}, { platform: 'javascript', inferIp: 'never' }, ''],
  ['none, from a server that asks for it       ', {}, { inferIp: 'auto' }, '192.0.2.1'],
  ['none, but the web server knows             ', {}, { remoteAddress: '198.51.100.7' }, '198.51.100.7'],
  ['none, and the web server says auto         ', {}, { remoteAddress: '{{auto}}' }, '192.0.2.1'],
  ['no address                                 ', { ip_address: 'home' }, {}, ''],
  ['IPv6                                       ', { ip_address: '2001:db8::1' }, {}, '2001:db8::1'],
] as const)('address: %s', (_name, user, context, want) => {
  expect(read(user, context).user.ip).toBe(want)
})

test('an id keeps its digits also where a number would lose them', () => {
  const id = (text: string) =>
    read(JSON.parse(text).user, { sentPayload: Buffer.from(text) }).user.id
  expect(id('{"user":{"id":42}}')).toBe('42')
  expect(id('{"user":{"id":"a"}}')).toBe('a')
  expect(
    id('{"other":{"id":9007199254740993},"user":{"name":"\\"id\\":1","id":9007199254740995}}'),
  ).toBe('9007199254740995')
  expect(id('{"user":{"geo":{},"id":9007199254740995}}')).toBe('9007199254740996')
})

test('other keys are kept in the payload only', () => {
  expect(
    read({ username: 'ada', name: 'Ada L.', segment: 'pro', data: { a: [1] }, gone: null }),
  ).toEqual({
    user: { id: '', email: '', name: 'ada', ip: '' },
    stored: { username: 'ada', name: 'Ada L.', segment: 'pro', data: { a: [1] }, gone: null },
  })
})
