/** Nothing that is digested depends on what is kept as it was sent. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { rulesOf } from '../../digest/project-rules.ts'
import { KnownFrames } from '../known-frames/known-frames.ts'
import { normalizeEvent } from '../normalize-event.ts'
import { KnownModules } from './known-modules.ts'
import { PlainData } from './plain-data.ts'

const settings = [
  {},
  { scrubbing: { defaults: false } },
  { scrubbing: { ip_addresses: true } },
  { scrubbing: { sensitive_keys: ['url', 'mess*', 'values'], safe_keys: ['token'] } },
] as const
const rules = settings.map((one) => rulesOf(one))

type Shared = Parameters<typeof normalizeEvent>[0]

function digest(text: string | Buffer, ruleIndex: number, shared: Partial<Shared>): unknown {
  const normalized = normalizeEvent({
    payload: Buffer.from(text as string),
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: Date.UTC(2026, 10, 20),
    // A clock that is a day off moves the times of breadcrumbs, too.
    sentAt: '2026-11-19T00:00:00Z',
    scrub: rules[ruleIndex]!.scrub,
    ...shared,
  })
  if (normalized.kind !== 'event') return normalized
  const { payload, ...event } = normalized.event
  // `inPayload` holds plain data as objects of their own.
  return structuredClone({ ...event, inPayload: undefined, payload })
}

function expectSame(texts: readonly (string | Buffer)[]): void {
  for (const [index, { plainRules }] of rules.entries()) {
    const shared = {
      knownModules: new KnownModules(),
      knownFrames: new KnownFrames(),
      ...(plainRules === undefined ? {} : { plainRules }),
    }
    // Modules are seen, then known.
    for (let round = 0; round < 3; round += 1)
      for (const text of texts)
        expect(digest(text, index, shared), `settings ${index}`).toEqual(digest(text, index, {}))
  }
}

const secret = `sk_live_${'a'.repeat(24)}`
// biome-ignore format: a list of values reads better in full lines
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(
    '', ' ', 'a', 'info', 'http', ' trimmed ', 'GET /orders', 'https://example.com/a?b=1', 'https://u:p@example.com/', 'x://',
    'Bearer abcdefghijklmnopqrstuvwxyz0123456789', `key ${secret}`, '4111 1111 1111 1111', '4111111111111111', '203.0.113.9',
    'password=hunter2', '--token', 'abc', 'Authorization', 'cookie', 'true', '12345678', '2026-11-19T10:00:00.123456Z',
    '2026-11-19T10:00:00+02:00', '1763683200.5', 'größe', '日本', '\u00a0x', '\u2028', '\ufeffx', '\u3000', '\ud83d\ude00', '\ud800',
    'tab\there', 'quote"', 'back\\slash', '\u0000', '\u007f', 'x'.repeat(65), 'x'.repeat(300), 'x'.repeat(2100), 'é'.repeat(1500),
    'warn', 'WARNING', '40', 'log', '<password>x</password>', 'user:pass', '[Filtered]',
  ) },
  fc.string(),
)
// biome-ignore format: a list of values reads better in full lines
const anyNumber = fc.oneof(fc.constantFrom(
  0, -0, 1, -1, 7, 1.5, 0.1, -0.25, 1e-7, 1e21, 1e300, 123456789012, 1234567890123, 4111111111111111, 0.1 + 0.2, 12.345678901234567,
  1763683200, 1763683200.123, 1763683200123, -1763683200, 253402300799, 253402300800, 2 ** 53 + 1,
), fc.double({ noNaN: true, noDefaultInfinity: true }))
const name = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('url', 'method', 'status_code', 'arguments', 'data', 'a', 'b'),
  },
  // biome-ignore format: a list of values reads better in full lines
  fc.constantFrom('password', 'token', 'ip', 'function', 'filename', 'name', 'value', 'key', '__proto__', 'constructor', '0', '12', '',
    'größe', 'with space', 'quote"', 'x'.repeat(257), 'values', 'message'),
)
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, depthSize: 'medium' },
    { weight: 4, arbitrary: anyText },
    { weight: 2, arbitrary: anyNumber },
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}))
const anyObject = fc.dictionary(name, anyValue as fc.Arbitrary<unknown>, { maxKeys: 5 })
const time = fc.oneof(anyNumber, anyText, fc.constant(1763683200.123))
const plainCrumb = fc.record(
  {
    timestamp: time,
    type: fc.constantFrom('http', 'default', '', null),
    level: fc.constantFrom('info', 'error', 'log', 'nonsense', null),
    category: anyText,
    message: anyText,
    data: anyObject,
    event_id: fc.constantFrom('a'.repeat(32), null),
    origin: fc.constantFrom('native', ''),
  },
  { requiredKeys: [] },
)
const crumb = fc.oneof(
  { weight: 6, arbitrary: plainCrumb },
  fc.record(
    {
      timestamp: anyValue,
      type: anyValue,
      level: anyValue,
      message: anyValue,
      data: anyValue,
      other: anyValue,
      value: anyText,
      name: anyText,
    },
    { requiredKeys: [] },
  ),
)
const crumbs = fc.array(crumb, { maxLength: 5 })
const breadcrumbs = fc.oneof(
  { weight: 4, arbitrary: crumbs },
  { weight: 4, arbitrary: crumbs.map((values) => ({ values })) },
  crumbs.map((values) => ({ values, other: 1 })),
  crumbs.map((list) => [...list, 0]),
  crumb,
  fc.constantFrom(null, 0, 'x', [], {}, [0], [null], { values: [0, 1] }),
)
const event = fc.record(
  {
    breadcrumbs,
    'sentry.interfaces.Breadcrumbs': breadcrumbs,
    extra: fc.oneof({ weight: 5, arbitrary: anyObject }, anyValue as fc.Arbitrary<unknown>),
    modules: fc.oneof(
      { weight: 3, arbitrary: fc.dictionary(name, fc.constantFrom('1.0.0', '2.1', 7, null)) },
      anyValue as fc.Arbitrary<unknown>,
    ),
    logger: fc.constantFrom('extra', 'breadcrumbs', 'modules'),
    exception: fc.constant({
      values: [{ type: 'E', stacktrace: { frames: [{ function: 'f' }] } }],
    }),
  },
  { requiredKeys: [] },
)

test('an event with plain data is digested as without it', () => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(0, 0, 1),
      (events, space) => expectSame(events.map((one) => JSON.stringify(one, undefined, space))),
    ),
    { numRuns: 300 },
  )
})

const ordinary = {
  breadcrumbs: [
    { timestamp: 1763683200.5, category: 'console', level: 'info', message: 'loaded 3 orders' },
    {
      timestamp: 1763683201,
      type: 'http',
      category: 'fetch',
      data: { url: 'https://a.example/x', status_code: 200 },
    },
  ],
  extra: { note: 'größe', list: [1, 2.5, 'x'], nested: { on: true, off: null } },
  modules: { express: '5.1.0', zod: '4.0.0' },
}

test('any byte of an event may be changed or missing', () => {
  const text = JSON.stringify(ordinary)
  for (let at = 0; at < text.length; at += 1)
    for (const byte of ['', '"', '{', ',', '0', ']', ' ', '\\', '\u00ff', '\n'])
      expectSame([Buffer.from(text.slice(0, at) + byte + text.slice(at + 1), 'latin1')])
})

test('the parts of an ordinary event are plain', () => {
  const shared = { knownModules: new KnownModules(), plainRules: rules[0]!.plainRules! }
  const read = () => {
    const normalized = normalizeEvent({
      payload: Buffer.from(JSON.stringify(ordinary)),
      eventId: 'a'.repeat(32) as EventId,
      receivedAtMs: Date.UTC(2026, 10, 20),
      scrub: rules[0]!.scrub,
      ...shared,
    })
    if (normalized.kind !== 'event') throw new Error(normalized.kind)
    return normalized.event.inPayload as Record<string, unknown>
  }
  read()
  const { breadcrumbs: stored, extra, modules } = read()
  expect(extra).toBeInstanceOf(PlainData)
  expect(modules).toBeInstanceOf(PlainData)
  for (const one of (stored as { values: object[] }).values) expect(one).toBeInstanceOf(PlainData)
})

/** With an escape in the place of its first character. */
function escaped(name: string): string {
  return `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`
}

describe('hostile forms', () => {
  const crumbText = '{"timestamp":1763683200,"message":"m"}'
  // biome-ignore format: the columns are the point
  test.each([
    ['an attribute twice, plain last      ', '{"extra":{"a":{"b":[{}]}},"extra":{"a":1}}'],
    ['an attribute twice, plain first     ', '{"extra":{"a":1},"extra":0}'],
    ['a number in place of plain data     ', '{"extra":0,"modules":1,"breadcrumbs":[0,1]}'],
    ['a number beside plain data          ', `{"breadcrumbs":[${crumbText}],"extra":0,"modules":0}`],
    ['numbers among breadcrumbs           ', `{"breadcrumbs":[${crumbText},0]}`],
    ['breadcrumbs twice                   ', `{"breadcrumbs":[${crumbText}],"breadcrumbs":[0]}`],
    ['values twice                        ', `{"breadcrumbs":{"values":[${crumbText}],"values":[0]}}`],
    ['an escaped name                     ', `{"breadcrumbs":[${crumbText}],"${escaped('breadcrumbs')}":[0]}`],
    ['an escaped name of another attribute', `{"extra":{"a":1},"${escaped('extra')}":0}`],
    ['a root that is a list               ', `["extra",{"a":1},"breadcrumbs",[${crumbText}]]`],
    ['a name as a value                   ', `{"logger":"extra","transaction":"breadcrumbs"}`],
    ['attributes one level down           ', `{"contexts":{"extra":{"a":1},"breadcrumbs":[0]}}`],
    ['a crumb with a field twice          ', '{"breadcrumbs":[{"message":"a","message":"b"}]}'],
    ['names twice in data                 ', '{"extra":{"a":1,"a":2}}'],
    ['names that are indexes              ', '{"extra":{"b":1,"2":1,"1":1}}'],
    ['a control character                 ', '{"extra":{"a":"x\u0001y"}}'],
    ['a bare NaN                          ', '{"extra":{"a":NaN},"breadcrumbs":[{"message":"m"}]}'],
    ['numbers that are no JSON            ', '{"extra":{"a":01,"b":1.,"c":.5,"d":+1,"e":-}}'],
    ['numbers in other forms              ', '{"extra":{"a":1.0,"b":1e3,"c":1E-2,"d":-0,"e":-0.0,"f":100000000000000000000}}'],
    ['times in other forms                ', '{"breadcrumbs":[{"timestamp":1763683200.0},{"timestamp":1e9},{"timestamp":5},{"timestamp":""},{"timestamp":null}]}'],
    ['a text that does not end            ', '{"extra":{"a":"x'],
    ['an object that does not end         ', '{"extra":{"a":1'],
    ['a comma too many                    ', '{"extra":{"a":1,},"breadcrumbs":[{"message":"m",}]}'],
    ['words that are no literals          ', '{"extra":{"a":nul,"b":truth}}'],
    ['a byte order mark                   ', `\ufeff{"extra":{"a":1}}`],
    ['many names                          ', JSON.stringify({ extra: Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`n${at}`, at])) })],
    ['deep lists                          ', `{"extra":{"a":${'['.repeat(60)}${']'.repeat(60)}}}`],
    ['one level too deep                  ', `{"modules":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`],
    ['the deepest modules                 ', `{"modules":{"a":${'['.repeat(62)}${']'.repeat(62)}}}`],
    ['too many breadcrumbs                ', JSON.stringify({ breadcrumbs: Array.from({ length: 103 }, (_, at) => ({ message: `m${at}` })) })],
    ['data at its limit                   ', JSON.stringify({ breadcrumbs: [{ data: { a: 'x'.repeat(2048), b: 'y'.repeat(2048), c: 'z'.repeat(2048), d: 'u'.repeat(2000) } }] })],
    ['an option and its value             ', '{"extra":{"argv":["--password","hunter2","Authorization","Basic x"]}}'],
    ['invalid UTF-8                       ', Buffer.from('{"extra":{"a":"x\xff\xfey"},"breadcrumbs":[{"message":"\xc3"}]}', 'latin1')],
    ['too large for a payload             ', JSON.stringify({ extra: { a: Array.from({ length: 60 }, () => 'x'.repeat(4000)) }, breadcrumbs: [{ message: 'm' }], fingerprint: ['x'] })],
  ] as const)('%s', (_name, text) => {
    expectSame([JSON.stringify(ordinary), text])
  })
})
