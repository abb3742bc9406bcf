import { describe, expect, test } from 'vitest'
import {
  appFrames,
  buildEvent,
  type EventInShort,
  type ExceptionInShort,
  type FrameInShort,
  libraryFrame,
} from './fixtures/build-event.ts'
import { groupEvent } from './group-v1.ts'

const uuidA = '8f14e45f-ceea-467f-a0e6-0123456789ab'
const uuidB = '0b8fd1a2-1111-4222-8333-abcdefabcdef'

function valueError(short: ExceptionInShort = {}): ExceptionInShort {
  return { type: 'ValueError', frames: appFrames('checkout', 'add_item'), ...short }
}

function one(short: ExceptionInShort, rest: EventInShort = {}): EventInShort {
  return { ...rest, exceptions: [short] }
}

function group(children: readonly string[]): EventInShort {
  const members = children.map((type, index) => ({
    type,
    frames: appFrames(`task_${type}`),
    mechanism: { exceptionId: index + 1, parentId: 0 },
  }))
  const root = {
    type: 'ExceptionGroup',
    value: `unhandled errors (${children.length} sub-exceptions)`,
    frames: appFrames('run_all'),
    mechanism: { exceptionId: 0, isExceptionGroup: true },
  }
  return { exceptions: [...members, root] }
}

function script(file: string): EventInShort {
  const frames = [{ function: 'addItem', filename: file, absPath: file, inApp: true }]
  return one({ type: 'TypeError', value: 'x', frames }, { platform: 'javascript' })
}

function java(module: string): EventInShort {
  return one(
    { type: 'java.lang.IllegalStateException', frames: [{ module, function: 'save' }] },
    { platform: 'java' },
  )
}

function recursion(depth: number, cycle: readonly string[]): EventInShort {
  const names = Array.from({ length: depth }, () => cycle).flat()
  return one(valueError({ frames: appFrames('main', ...names) }))
}

function rust(name: string): EventInShort {
  return one({ type: 'panic', frames: [{ function: name }] }, { platform: 'native' })
}

const lineMoved = appFrames('checkout', 'add_item').map((frame) => ({ ...frame, lineno: 999 }))
const inAppUnknown = [
  { module: 'shop.cart', function: 'add_item' },
  { module: 'acme.vendored', function: 'call' },
]
const inAppKnown = [
  { module: 'shop.cart', function: 'add_item', inApp: true },
  { module: 'acme.vendored', function: 'call', inApp: false },
]

// biome-ignore format: the columns are the point
const pairs: readonly (readonly [name: string, left: EventInShort, right: EventInShort, want: 'same' | 'different'])[] = [
  ['line numbers do not matter', one(valueError()), one(valueError({ frames: lineMoved })), 'same'],
  ['with a stack the message does not matter', one(valueError({ value: 'user 12' })), one(valueError({ value: 'user 13' })), 'same'],
  ['without a stack, ids in the message do not matter', one({ type: 'E', value: `order ${uuidA} failed` }), one({ type: 'E', value: `order ${uuidB} failed` }), 'same'],
  ['without a stack, another message is another issue', one({ type: 'E', value: 'timeout' }), one({ type: 'E', value: 'refused' }), 'different'],
  ['a cause makes another issue', one({ type: 'KeyError' }), { exceptions: [{ type: 'KeyError' }, { type: 'ValueError' }] }, 'different'],
  ['the depth of a recursion does not matter', recursion(10, ['walk']), recursion(900, ['walk']), 'same'],
  ['the depth of a mutual recursion does not matter', recursion(10, ['visit', 'walk', 'step']), recursion(300, ['visit', 'walk', 'step']), 'same'],
  ['more library frames leave the issue', one(valueError({ frames: [libraryFrame('a'), ...appFrames('x', 'y')] })), one(valueError({ frames: [libraryFrame('a'), libraryFrame('b'), ...appFrames('x', 'y'), libraryFrame('c')] })), 'same'],
  ['the first library frame leaves the issue', one(valueError({ frames: appFrames('x', 'y') })), one(valueError({ frames: [libraryFrame('a'), ...appFrames('x', 'y')] })), 'same'],
  ['in_app that was missing before still meets the old issue', one(valueError({ frames: inAppUnknown })), one(valueError({ frames: inAppKnown })), 'same'],
  ['content hashes in file names do not matter', script('https://a.example/main.abc12345.js'), script('https://a.example/main.99ff00aa.js'), 'same'],
  ['tags, user, release, environment and component do not matter', one(valueError()), one(valueError(), { tags: [['a', 'b']], release: '2', environment: 'test', component: 'shop', user: { id: '1', email: '', name: '', ip: '' } }), 'same'],
  ['a fingerprint of the client decides alone', one(valueError(), { fingerprint: ['db'] }), { message: { template: undefined, formatted: 'x' }, fingerprint: ['db'] }, 'same'],
  ['another fingerprint is another issue', one(valueError(), { fingerprint: ['db'] }), one(valueError(), { fingerprint: ['mail'] }), 'different'],
  ['a hybrid fingerprint tells apart what is one stack', one(valueError(), { fingerprint: ['{{ default }}', 'tenant-1'] }), one(valueError(), { fingerprint: ['{{ default }}', 'tenant-2'] }), 'different'],
  ['a hybrid fingerprint is not the plain grouping', one(valueError(), { fingerprint: ['{{ default }}', 'tenant-1'] }), one(valueError()), 'different'],
  ['the default fingerprint is no fingerprint', one(valueError(), { fingerprint: ['{{default}}'] }), one(valueError()), 'same'],
  ['an empty fingerprint is no fingerprint', one(valueError(), { fingerprint: [] }), one(valueError()), 'same'],
  ['a variable without value does not merge different types', one({ type: 'A' }, { fingerprint: ['{{ default }}', '{{ transaction }}'] }), one({ type: 'B' }, { fingerprint: ['{{ default }}', '{{ transaction }}'] }), 'different'],
  ['a missing variable is not the text that looks like it', one({ type: 'A' }, { fingerprint: ['{{ transaction }}'] }), one({ type: 'A' }, { fingerprint: ['transaction'] }), 'different'],
  ['an unknown variable is not a missing one', one({ type: 'A' }, { fingerprint: ['{{ nonsense }}'] }), one({ type: 'A' }, { fingerprint: ['{{ logger }}'] }), 'different'],
  ['a fingerprint that is the message is stripped of ids', one({ type: 'A', value: 'order 1' }, { fingerprint: ['order 1'] }), one({ type: 'A', value: 'order 2' }, { fingerprint: ['order 2'] }), 'same'],
  ['the blanks in a variable do not matter', one({ type: 'A' }, { fingerprint: ['{{type}}'] }), one({ type: 'A' }, { fingerprint: ['{{   error.type  }}'] }), 'same'],
  ['a group of two equal errors is a group of one', group(['ValueError', 'ValueError']), group(['ValueError']), 'same'],
  ['a group of one is the error itself', group(['ValueError']), one({ type: 'ValueError', frames: appFrames('task_ValueError') }), 'same'],
  ['the order in a group does not matter', group(['ValueError', 'KeyError']), group(['KeyError', 'ValueError']), 'same'],
  ['a group of other errors is another issue', group(['ValueError', 'KeyError']), group(['ValueError', 'TypeError']), 'different'],
  ['a proxy made by Spring is its class', java('app.Cart$$EnhancerBySpringCGLIB$$1a2b'), java('app.Cart$$EnhancerBySpringCGLIB$$9f'), 'same'],
  ['the hash of a Rust symbol does not matter', rust('foo::h0123456789abcdef'), rust('foo::hfedcba9876543210'), 'same'],
  ['two empty events are one issue', {}, { platform: 'go', logger: 'x' }, 'same'],
  ['an error thrown on unchanged is folded', { exceptions: [valueError(), valueError()] }, one(valueError()), 'same'],
  ['the type matters', one(valueError()), one(valueError({ type: 'KeyError' })), 'different'],
  ['a type the client made up does not', one(valueError({ mechanism: { synthetic: true } })), one(valueError({ type: 'Error', mechanism: { synthetic: true } })), 'same'],
  ['the template stands for its messages', { message: { template: 'user %s left', formatted: 'user Ann left' } }, { message: { template: 'user %s left', formatted: 'user Bob left' } }, 'same'],
  ['the lines after the second do not matter', { message: { template: undefined, formatted: 'a\n\nb\nc' } }, { message: { template: undefined, formatted: 'a\nb\nd' } }, 'same'],
  ['the code of an NSError matters', one({ type: 'NSError', mechanism: { nsError: { domain: 'D', code: '1' } } }), one({ type: 'NSError', mechanism: { nsError: { domain: 'D', code: '2' } } }), 'different'],
  ['the blocked host matters', { securityReport: { directive: 'img-src', blockedHost: 'a.example' } }, { securityReport: { directive: 'img-src', blockedHost: 'b.example' } }, 'different'],
  ['a message of the client library is no security report', { securityReport: { directive: 'img-src', blockedHost: 'a.example' } }, { message: { template: undefined, formatted: 'img-src a.example' } }, 'different'],
]

function isOneIssue(left: EventInShort, right: EventInShort): boolean {
  const known = new Set(groupEvent(buildEvent(left)).hashes.map(({ hash }) => hash))
  return groupEvent(buildEvent(right)).hashes.some(({ hash }) => known.has(hash))
}

describe('two events are one issue or not', () => {
  test.each(pairs)('%s', (_name, left, right, want) => {
    expect(isOneIssue(left, right) ? 'same' : 'different').toBe(want)
    expect(isOneIssue(right, left) ? 'same' : 'different').toBe(want)
  })
})

describe('paths', () => {
  const stack: FrameInShort[] = appFrames('work')
  // biome-ignore format: the columns are the point
  const paths: readonly (readonly [path: string, event: EventInShort])[] = [
    ['fingerprint', one(valueError(), { fingerprint: ['a'], checksum: 'f'.repeat(32) })],
    ['hybrid-fingerprint', one(valueError(), { fingerprint: ['a', '{{ default }}'] })],
    ['checksum', one(valueError(), { checksum: 'F'.repeat(32) })],
    ['exception-stack', one(valueError(), { threads: [{ crashed: true, frames: stack }] })],
    ['thread-stack', one({ type: 'SIGSEGV' }, { threads: [{ frames: stack }, { id: '2', crashed: true, frames: stack }] })],
    ['thread-stack', { threads: [{ frames: stack }, { id: '2', current: true, frames: stack }], frames: stack }],
    ['stack', { frames: stack, message: { template: undefined, formatted: 'm' } }],
    ['stack', { threads: [{ crashed: true, frames: stack }, { crashed: true, frames: stack }], frames: stack }],
    ['exception-value', one({ type: 'E', value: 'v' })],
    ['message', { message: { template: undefined, formatted: 'm' } }],
    ['security', { securityReport: { directive: 'img-src', blockedHost: '' }, message: { template: undefined, formatted: 'm' } }],
    ['fallback', { message: { template: '', formatted: '  \n ' } }],
  ]
  test.each(paths)('%s', (path, event) => {
    const grouping = groupEvent(buildEvent(event))
    expect(grouping.path).toBe(path)
    expect(grouping.explain().path).toBe(path)
  })

  test('a checksum of 32 hex digits is the hash, in lowercase', () => {
    const { hashes } = groupEvent(buildEvent({ checksum: 'AB'.repeat(16) }))
    expect(hashes).toEqual([{ variant: 'checksum', hash: 'ab'.repeat(16) }])
  })

  test('any other checksum is hashed', () => {
    const { hashes } = groupEvent(buildEvent({ checksum: 'my own' }))
    expect(hashes[0]).toMatchObject({ variant: 'hashed-checksum' })
    expect(hashes[0].hash).toMatch(/^[0-9a-f]{32}$/)
  })

  test('app comes first, and system only where it differs', () => {
    const variants = (frames: FrameInShort[]) =>
      groupEvent(buildEvent(one(valueError({ frames })))).hashes.map(({ variant }) => variant)
    expect(variants(appFrames('a'))).toEqual(['app'])
    expect(variants([libraryFrame('a')])).toEqual(['system'])
    expect(variants([...appFrames('a'), libraryFrame('b')])).toEqual(['app', 'system'])
  })

  test('only the 30 frames nearest the crash are used', () => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`)
    const far = one(valueError({ frames: appFrames('other', ...names) }))
    const near = one(valueError({ frames: appFrames(...names, 'other') }))
    expect(isOneIssue(one(valueError({ frames: appFrames(...names) })), far)).toBe(true)
    expect(isOneIssue(one(valueError({ frames: appFrames(...names) })), near)).toBe(false)
  })

  test('a minified stack without source map groups by type, message and file', () => {
    const minified = (names: readonly string[], hash: string) =>
      one(
        {
          type: 'TypeError',
          value: 'undefined is not a function',
          frames: names.map((name) => ({
            function: name,
            filename: `https://cdn.example/main.${hash}.js`,
            absPath: `https://cdn.example/main.${hash}.js`,
            lineno: 1,
            colno: 20_000,
          })),
        },
        { platform: 'javascript' },
      )
    const before = groupEvent(buildEvent(minified(['a', 'xt'], '4f3c2a1b')))
    const after = groupEvent(buildEvent(minified(['q', 'b', 'zz'], '99ff00aa')))
    expect(before.path).toBe('minified')
    expect(after.hashes).toEqual(before.hashes)
    expect(before.explain().notes.join()).toContain('minified, no source map')
  })

  test('a native frame without symbols is named by image and offset', () => {
    const at = (base: bigint, offset: bigint) =>
      buildEvent({
        platform: 'native',
        exceptions: [
          {
            type: 'SIGSEGV',
            frames: [{ instructionAddr: `0x${(base + offset).toString(16)}`, inApp: true }],
          },
        ],
        images: [
          { file: '/usr/lib/other.so', addr: '0x1000', size: 16 },
          { file: '/opt/libShop.so', addr: `0x${base.toString(16)}`, size: 0x10000 },
        ],
      })
    const here = groupEvent(at(0x7f0000000000n, 0x1f40n))
    expect(here.explain().variants[0]?.pieces).toEqual([
      ['type', 'SIGSEGV'],
      ['address', 'libshop.so+0x1f40'],
    ])
    expect(groupEvent(at(0xffff800000000000n, 0x1f40n)).hashes).toEqual(here.hashes)
    expect(groupEvent(at(0x7f0000000000n, 0x20000n)).path).toBe('exception-value')
  })

  test('everything nearer the crash than the throw is machinery', () => {
    const panic = (...inner: string[]) =>
      one(
        { type: 'panic', frames: ['shop::add', ...inner].map((name) => ({ function: name })) },
        { platform: 'native' },
      )
    const shallow = panic('core::panicking::panic_fmt', 'std::panicking::begin', 'hook')
    const deep = panic('core::panicking::panic_fmt', 'rust_panic', 'other_hook')
    expect(isOneIssue(shallow, deep)).toBe(true)
    expect(groupEvent(buildEvent(shallow)).explain().variants[0]?.pieces).toContainEqual([
      'function',
      'shop::add',
    ])
  })
})

describe('title and culprit', () => {
  // biome-ignore format: the columns are the point
  const rows: readonly (readonly [name: string, event: EventInShort, title: string, culprit: string])[] = [
    ['type and first line of the value', one(valueError({ value: 'bad item\nmore' })), 'ValueError: bad item', 'shop.cart in add_item'],
    ['the transaction is the culprit', one(valueError(), { transaction: '/checkout' }), 'ValueError', '/checkout'],
    ['a made-up type gives way to the function', one(valueError({ mechanism: { synthetic: true } })), 'add_item', 'shop.cart in add_item'],
    ['no type', one({ value: 'lost' }), 'lost', ''],
    ['a message', { message: { template: 'user %s', formatted: '\n user 1\nx' } }, 'user 1', ''],
    ['nothing', {}, '<unlabeled event>', ''],
    ['a browser frame', script('https://a.example/static/cart.js?v=2'), 'TypeError: x', 'cart.js in addItem'],
    ['library frames are no culprit', one(valueError({ frames: [...appFrames('mine'), libraryFrame('theirs')] })), 'ValueError', 'shop.cart in mine'],
    ['a security report', { securityReport: { directive: 'img-src', blockedHost: 'a.example' } }, 'Blocked by img-src: a.example', ''],
    ['the one error of a group', group(['KeyError', 'KeyError']), 'KeyError', 'shop.cart in task_KeyError'],
  ]
  test.each(rows)('%s', (_name, event, title, culprit) => {
    expect(groupEvent(buildEvent(event))).toMatchObject({ title, culprit })
  })

  test('both are bounded, and never cut through a character', () => {
    const long = '😀'.repeat(1000)
    const grouping = groupEvent(
      buildEvent(one({ type: 'E', value: long }, { transaction: `x${long}` })),
    )
    expect(grouping.title.length).toBeLessThanOrEqual(256)
    expect(grouping.culprit.length).toBeLessThanOrEqual(200)
    expect(grouping.title.isWellFormed()).toBe(true)
    expect(grouping.culprit.isWellFormed()).toBe(true)
  })
})

describe('hostile input', () => {
  // Each would take hours with a pattern that backtracks; no time is measured, the test only has to end.
  const texts = [
    'a',
    '(',
    'a.',
    '1',
    '1:',
    'a@',
    '="',
    '<',
    ' ',
    '\n',
    'a-',
    '::',
    '$$',
    '0x',
    'é',
    '{',
  ]
  test.each(texts)('a megabyte of %j is grouped', (unit) => {
    const text = unit.repeat(Math.ceil(2 ** 20 / unit.length))
    const frame = { function: text, module: text, filename: text, absPath: text, contextLine: text }
    for (const platform of ['javascript', 'native', 'java', 'csharp', 'php', 'ruby', 'python']) {
      const event = buildEvent({
        platform,
        exceptions: [
          { type: text, value: text },
          { type: text, frames: [frame, frame] },
        ],
        message: { template: text, formatted: text },
        fingerprint: ['{{ default }}', text, `{{ ${text} }}`],
      })
      expect(groupEvent(event).explain().variants[0]?.hash).toMatch(/^[0-9a-f]{32}$/)
    }
  })

  test('broken ids of a group leave the chain as it was sent', () => {
    const plain = { exceptions: [{ type: 'A' }, { type: 'B' }] }
    const ids = [
      [0, 0],
      [1, 2],
      [undefined, 5],
    ] as const
    for (const [parentId, exceptionId] of ids) {
      const broken = {
        exceptions: plain.exceptions.map((exception) => ({
          ...exception,
          mechanism: { exceptionId, parentId, isExceptionGroup: true },
        })),
      }
      expect(isOneIssue(broken, plain)).toBe(true)
    }
  })
})
