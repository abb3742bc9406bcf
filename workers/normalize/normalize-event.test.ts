import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax } from '#schemas/limits.ts'
import type { RawEvent } from './draft.ts'
import type { NormalizedEvent } from './event.ts'
import { normalizeEvent } from './normalize-event.ts'

const receivedAtMs = Date.UTC(2026, 10, 20, 10, 0, 5)
const eventId = '5f0c1d2e3a4b4c5d8e9f001122334455' as EventId
const fixtures = new URL('../../test/fixtures/sdk-events/', import.meta.url)

function normalize(payload: unknown, raw: Partial<RawEvent> = {}): NormalizedEvent {
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const normalized = normalizeEvent({ payload: bytes, eventId, receivedAtMs, ...raw })
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return normalized.event
}

function fixture(name: string, raw?: Partial<RawEvent>): NormalizedEvent {
  return normalize(readFileSync(new URL(`${name}.json`, fixtures), 'utf8'), raw)
}

function reason(payload: string | Buffer): string {
  const normalized = normalizeEvent({ payload: Buffer.from(payload), eventId, receivedAtMs })
  return normalized.kind === 'rejected' ? normalized.reason : normalized.kind
}

// biome-ignore format: the columns are the point
test.each([
  ['text that is not JSON           ', 'nope', 'invalid_json'],
  ['nothing                         ', '', 'invalid_json'],
  ['JSON cut in the middle          ', '{"message":"a', 'invalid_json'],
  ['null, which is JSON but no event', 'null', 'invalid_event'],
  ['a list                          ', '[]', 'invalid_event'],
  ['a string                        ', '"event"', 'invalid_event'],
  ['10,000 levels                   ', `{"extra":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'too_deep'],
  ['one byte too many               ', `{"message":"${'a'.repeat(eventBytesMax - 13)}"}`, 'too_large'],
  ['the last byte that fits         ', `{"message":"${'a'.repeat(eventBytesMax - 14)}"}`, 'event'],
  ['100,000 keys                    ', `{"extra":{${Array.from({ length: 100_000 }, (_, i) => `"${i}":1`).join()}}}`, 'too_large'],
  ['an empty object is an event     ', '{}', 'event'],
] as const)('%s: %#', (_name, payload, want) => {
  expect(reason(payload)).toBe(want)
})

describe('Events of real clients', () => {
  const rows = readdirSync(fixtures).map((name) => name.replace('.json', ''))
  const clean = new Set(rows.filter((name) => /^sentry-(node|browser|python|go|ruby)/.test(name)))

  test.each(rows)('%s becomes an event and an equivalent payload', (name) => {
    const event = fixture(name, { address: '192.0.2.1' })
    const payload = JSON.parse(event.payload)
    expect(payload.event_id).toBe(eventId)
    expect(payload.platform).toBe(event.platform)
    expect(payload.platform).not.toBe('other')
    expect(payload.exception?.values ?? []).toHaveLength(event.exceptions.length)
    const ruled = (payload.notes ?? []).filter(
      (note: { field: string }) => note.field !== 'event_id',
    )
    if (clean.has(name))
      expect(ruled.map((note: { field: string }) => note.field)).toEqual(
        // The clients' clocks differ from the time of receipt of this test.
        ruled.length === 0 ? [] : ['timestamp'],
      )
  })

  test('Node 11: a chain of two errors, user, tags, breadcrumb, source', () => {
    const event = fixture('sentry-node-11-error')
    expect(event.exceptions.map((one) => [one.type, one.value])).toEqual([
      ['Error', 'no row 17'],
      ['TypeError', 'Cannot read properties of undefined (reading "price")'],
    ])
    const crash = event.exceptions.at(-1)?.frames.at(-1)
    expect(crash).toMatchObject({
      function: 'loadItem',
      filename: '/srv/shop/node.cjs',
      in_app: true,
    })
    expect(crash?.context_line).toContain('throw new TypeError')
    expect(event.exceptions.at(0)?.mechanism).toMatchObject({ type: 'chained', exceptionId: 1 })
    expect(event.tags).toEqual([
      ['cart', 'big'],
      ['paid', 'true'],
    ])
    expect(event.user).toEqual({ id: '42', email: 'ada@example.com', name: 'ada', ip: '' })
    expect(event).toMatchObject({
      level: 'error',
      platform: 'node',
      release: 'shop@1.0.0+7',
      dist: '7',
      environment: 'staging',
      serverName: 'web-1',
      sdk: 'sentry.javascript.node/11.11.0',
    })
    const payload = JSON.parse(event.payload)
    expect(payload.breadcrumbs.values.at(0)).toMatchObject({
      category: 'cart',
      message: 'item added',
    })
    expect(payload.contexts.runtime.name).toBe('node')
    expect(payload.extra.order.id).toBe(17)
  })

  test('Node: a group of errors keeps its tree in every version', () => {
    for (const name of ['sentry-node-11-group', 'sentry-node-10-group']) {
      const tree = fixture(name).exceptions.map(({ type, mechanism }) => [
        type,
        mechanism?.exceptionId,
        mechanism?.parentId,
        mechanism?.isExceptionGroup,
      ])
      expect(tree.at(-1)).toEqual(['AggregateError', 0, undefined, true])
      expect(tree).toContainEqual(['RangeError', 2, 0, false])
    }
  })

  test('Node: a message, to which version 11 adds a made-up exception for the stack', () => {
    for (const name of ['sentry-node-11-message', 'sentry-node-10-message']) {
      const event = fixture(name)
      expect(event.message).toEqual({ template: undefined, formatted: 'Payment is slow' })
      expect(event.level).toBe('warning')
    }
    expect(fixture('sentry-node-10-message').exceptions).toEqual([])
    expect(fixture('sentry-node-11-message').exceptions).toMatchObject([
      { type: '', value: 'Payment is slow', mechanism: { synthetic: true } },
    ])
  })

  test('browser: a URL as the only path gives both paths, and no address is inferred against its setting', () => {
    const event = fixture('sentry-browser-10-error', { address: '192.0.2.1' })
    expect(event.exceptions[0]?.frames).toMatchObject([
      {
        filename: '/static/main.4f3c2a1b.js',
        abs_path: 'http://shop.example/static/main.4f3c2a1b.js?v=3',
      },
      { filename: '/static/main.4f3c2a1b.js', function: 'render', colno: 20345 },
    ])
    expect(event.user.ip).toBe('')
  })

  test('raven: a bare list of exceptions beside their text as message', () => {
    const event = fixture('raven-2-error', { client: 'raven-node/2.6.4' })
    expect(event.exceptions).toHaveLength(1)
    expect(event.message?.formatted).toBe('Error: raven failed')
    expect(event.sdk).toBe('raven-node/2.6.4')
    expect(fixture('raven-2-message')).toMatchObject({ level: 'info', environment: 'prod' })
  })

  test('Python: nulls, pairs of microseconds, raw tag values, list as variables', () => {
    const event = fixture('sentry-python', { address: '192.0.2.1' })
    expect(event.occurredAtMs).toBe(Date.UTC(2026, 10, 20, 10, 0, 0, 123))
    expect(event.tags).toEqual([
      ['retry', 'true'],
      ['attempt', '3'],
      ['shop.kind', 'b2b'],
    ])
    expect(event.user).toMatchObject({ id: '42', ip: '192.0.2.1' })
    expect(event.exceptions.map((one) => one.type)).toEqual(['KeyError', 'ValueError'])
    expect(event.exceptions[0]?.frames[0]?.context_line).toBe("        return prices[item['sku']]")
    const payload = JSON.parse(event.payload)
    expect(payload.exception.values[1].stacktrace.frames[1].vars).toEqual({ 0: 'first', 1: 2 })
    expect(payload.request).toMatchObject({
      method: 'GET',
      url: 'https://shop.example/cart/17',
      query_string: 'ref=mail',
    })
    expect(payload.contexts.runtime).toEqual({
      name: 'CPython',
      version: '3.12.1',
      build: '3.12.1 (main)',
      type: 'runtime',
    })
    expect(payload.breadcrumbs.values).toHaveLength(1)
  })

  test('Python logging: the template stays beside the finished text', () => {
    expect(fixture('sentry-python-logging').message).toEqual({
      template: 'card %s declined after %d tries',
      formatted: 'card visa declined after 3 tries',
    })
  })

  test('Java: threads, module of the type, a context that is no object', () => {
    const event = fixture('sentry-java')
    expect(
      event.threads.map(({ name, crashed, frames }) => [name, crashed, frames.length]),
    ).toEqual([
      ['main', true, 1],
      ['worker', false, 0],
    ])
    expect(event).toMatchObject({ level: 'fatal', transaction: '', fingerprint: undefined })
    expect(event.exceptions[0]).toMatchObject({
      module: 'java.lang',
      mechanism: { handled: false },
    })
    expect(JSON.parse(event.payload).contexts).toEqual({
      device: { family: 'Server', cores: 8, type: 'device' },
      empty: { type: 'empty' },
    })
  })

  test('Go: bare lists, a zone offset, a path without a short form', () => {
    const event = fixture('sentry-go')
    expect(event.occurredAtMs).toBe(Date.UTC(2026, 10, 20, 10, 0, 0, 500))
    expect(event.exceptions[0]?.frames[1]).toMatchObject({
      function: '(*Cart).Add',
      filename: '/src/shop/cart/cart.go',
      abs_path: '/src/shop/cart/cart.go',
    })
  })

  test('PHP: NUL and half an emoji in a text, environment none, string line numbers', () => {
    const event = fixture('sentry-php')
    expect(event.exceptions[0]?.value).toBe('cart is \ufffd broken')
    expect(event.exceptions[0]?.frames.map((frame) => frame.lineno)).toEqual([12, 140])
    expect(event.environment).toBe('')
    expect(event.tags).toEqual([
      ['php.sapi', 'fpm'],
      ['note', 'two lines'],
    ])
    const payload = JSON.parse(event.payload)
    expect(payload.request).toMatchObject({
      query_string: 'a=1&b=x%20y',
      headers: [['Accept', 'text/html, */*']],
      cookies: [
        ['a', '1'],
        ['b', '2'],
      ],
    })
    expect(payload.notes.map((note: { field: string }) => note.field)).toEqual(
      expect.arrayContaining(['environment', 'tags', 'user.ip_address']),
    )
  })

  test('Cocoa: addresses in every notation, images, ns_error, an id of 64 bits, the address of the connection', () => {
    const event = fixture('sentry-cocoa', { address: '2001:db8::1' })
    expect(event.user).toMatchObject({ id: '9223372036854775807', ip: '2001:db8::1' })
    expect(event.images).toEqual([
      { file: '/private/var/containers/Shop.app/Shop', addr: 0x1_0000_0000n, size: 65536 },
      { file: '/usr/lib/system/libdyld.dylib', addr: 0x1_b2f4_b000n, size: 12288 },
    ])
    const [redacted, add] = event.exceptions[0]?.frames ?? []
    expect(redacted).toMatchObject({
      function: undefined,
      instruction_addr: '0x1b2f4c384',
      in_app: false,
    })
    expect(add).toMatchObject({ function: '-[Cart add:]', instruction_addr: '0x100008d84' })
    expect(event.exceptions[0]?.mechanism?.nsError).toEqual({
      domain: 'NSCocoaErrorDomain',
      code: '4097',
    })
  })

  test('a browser report of a blocked script', () => {
    const event = fixture('csp-report')
    expect(event.securityReport).toEqual({
      directive: 'script-src-elem',
      blockedHost: 'cdn.evil.example',
    })
    expect(JSON.parse(event.payload).type).toBe('csp')
  })

  test('the long names of the oldest clients', () => {
    const event = fixture('raven-interfaces')
    expect(event).toMatchObject({
      transaction: 'shop.cart in add',
      level: 'error',
      environment: 'prod',
      frames: [],
      message: { template: 'card %(kind)s declined', formatted: 'card visa declined' },
      user: { name: 'ada', ip: '203.0.113.9' },
      tags: [
        ['a', '1'],
        ['site', 'eu'],
      ],
    })
    // The stack beside a single exception without one is that exception's.
    expect(event.exceptions).toMatchObject([
      {
        type: 'ValueError',
        value: 'bad card',
        frames: [{ function: 'add', filename: 'shop/cart.py' }],
      },
    ])
  })
})

test('the four shapes of an exception give the same event', () => {
  const one = { type: 'E', value: 'v', stacktrace: { frames: [{ function: 'f' }] } }
  const [first, ...others] = [{ values: [one] }, [one], one, { values: [null, one] }].map(
    (exception) => normalize({ exception }),
  )
  for (const other of others) expect(other).toEqual(first)
  for (const empty of [{}, [], { values: null }, { values: [] }, null, [null]]) {
    expect(normalize({ exception: empty })).toEqual(normalize({}))
  }
})

test('bare NaN and Infinity count as null, and a text that holds the words keeps them', () => {
  const event = normalize(
    '{"message":"NaN \\" NaN","extra":{"a":NaN,"b":[-Infinity,Infinity],"c":1}}',
  )
  expect(event.message?.formatted).toBe('NaN " NaN')
  expect(JSON.parse(event.payload).extra).toEqual({ a: null, b: [null, null], c: 1 })
  expect(reason('{"a":NaNa}')).toBe('invalid_json')
})

test('invalid UTF-8 is replaced, a byte order mark is skipped', () => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeff{"message":"a'),
    Buffer.from([0xff]),
    Buffer.from('b"}'),
  ])
  expect(normalize({}, { payload: bytes }).message?.formatted).toBe('a\ufffdb')
})

test('keys that name a prototype are dropped on every level, also when they are escaped', () => {
  const event = normalize(
    '{"extra":{"__proto__":{"a":1},"ok":{"constructor":2,"prototype":3,"\\u005f_proto__":4,"__pro\\u0000to__":5,"b":6}},' +
      '"contexts":{"__proto__":{"c":1}},"tags":{"__proto__ ":"x","t":"y"},"user":{"__proto__":{"id":1}}}',
  )
  expect(event.payload).not.toMatch(/proto|constructor/)
  expect(JSON.parse(event.payload)).toMatchObject({ extra: { ok: { b: 6 } } })
  expect(event.tags).toEqual([['t', 'y']])
  expect(({} as { a?: number }).a).toBeUndefined()
})

test('a bad attribute is dropped alone and noted, an unknown one is ignored', () => {
  const event = normalize({
    message: 'kept',
    level: 'loud',
    platform: 'toaster',
    release: 'a/b',
    tags: 7,
    user: 'ada',
    request: [],
    contexts: 'x',
    extra: 1,
    breadcrumbs: 'x',
    sdk: [],
    modules: 3,
    fingerprint: 'f',
    exception: 4,
    threads: true,
    stacktrace: { frames: 1 },
    debug_meta: 1,
    timestamp: 'yesterday',
    logger: {},
    shoe_size: 44,
  })
  expect(event).toMatchObject({
    level: 'error',
    platform: 'other',
    release: '',
    occurredAtMs: receivedAtMs,
  })
  const payload = JSON.parse(event.payload)
  expect(payload.shoe_size).toBeUndefined()
  expect(payload.notes.map((note: { field: string }) => note.field).sort()).toEqual([
    'breadcrumbs',
    'contexts',
    'exception',
    'extra',
    'fingerprint',
    'logger',
    'modules',
    'release',
    'request',
    'sdk',
    'stacktrace.frames',
    'tags',
    'threads',
    'timestamp',
    'user',
  ])
})

test('a transaction sent as an event is reported as a transaction', () => {
  const payload = Buffer.from(JSON.stringify({ transaction: 'GET /', type: 'transaction' }))
  const eventId = 'ab'.repeat(16) as EventId
  expect(normalizeEvent({ payload, eventId, receivedAtMs: 0 })).toEqual({
    kind: 'unsupported',
    itemType: 'transaction',
  })
})

test('the payload contains the label of the key and the id of the envelope', () => {
  const event = normalize({ event_id: 'nope' }, { component: 'worker' })
  expect(event.component).toBe('worker')
  expect(JSON.parse(event.payload)).toMatchObject({
    component: 'worker',
    event_id: eventId,
    received: '2026-11-20T10:00:05.000Z',
    notes: [{ field: 'event_id', rule: 'not a valid id: replaced' }],
  })
})

test('an exception with neither type nor value keeps its frames, error code and signal', () => {
  const mechanism = {
    type: 'mach',
    meta: {
      signal: { number: 11, code: 0, name: 'SIGSEGV' },
      mach_exception: { exception: 1, code: 2, subcode: 4096, name: 'EXC_BAD_ACCESS' },
      ns_error: { domain: 'NSCocoaErrorDomain', code: 260 },
    },
  }
  const frames = [{ function: '-[Cart add]' }]
  const event = normalize({ exception: { values: [{ mechanism, stacktrace: { frames } }] } })
  expect(event.exceptions).toMatchObject([
    {
      type: '',
      value: '',
      frames: [{ function: '-[Cart add]' }],
      mechanism: {
        nsError: { domain: 'NSCocoaErrorDomain', code: '260' },
        signal: { name: 'SIGSEGV', code: '2' },
      },
    },
  ])
})

test('an exception that says nothing at all is dropped', () => {
  const empty = [{}, { stacktrace: { frames: [{}] } }, { mechanism: { type: 'generic' } }]
  expect(normalize({ exception: { values: empty } }).exceptions).toEqual([])
})
