import { describe, expect, test } from 'vitest'
import {
  appFrames,
  buildEvent,
  type EventInShort,
  type FrameInShort,
  libraryFrame,
} from '../../test/fixtures/grouping/build-event.ts'
import { group, one, pairs, script, valueError } from '../../test/fixtures/grouping/g1-pairs.ts'
import { groupEvent } from './group-v1.ts'

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

describe('a message sent with the stack of its call', () => {
  const sent = (text: string): EventInShort => ({
    exceptions: [{ value: text, mechanism: { synthetic: true }, frames: appFrames('log') }],
    message: { template: undefined, formatted: text },
  })

  test('is the issue of the same message without a stack', () => {
    const plain = { message: { template: undefined, formatted: 'disk 7 full' } }
    expect(isOneIssue(sent('disk 9 full'), plain)).toBe(true)
    expect(groupEvent(buildEvent(sent('disk 9 full'))).path).toBe('message')
  })

  test('is not the issue of another message through the same function', () => {
    expect(isOneIssue(sent('disk full'), sent('no network'))).toBe(false)
  })
})

describe('title and culprit', () => {
  // biome-ignore format: the columns are the point
  const rows: readonly (readonly [name: string, event: EventInShort, title: string, culprit: string])[] = [
    ['type and first line of the value', one(valueError({ value: 'bad item\nmore' })), 'ValueError: bad item', 'shop.cart in add_item'],
    ['the transaction is the culprit', one(valueError(), { transaction: '/checkout' }), 'ValueError', '/checkout'],
    ['a made-up type gives way to the function', one(valueError({ mechanism: { synthetic: true } })), 'add_item', 'shop.cart in add_item'],
    ['no type', one({ value: 'lost' }), 'lost', ''],
    ['a message with the stack of its call', one({ value: 'disk full', mechanism: { synthetic: true }, frames: appFrames('log') }), 'disk full', 'shop.cart in log'],
    ['a message', { message: { template: 'user %s', formatted: '\n user 1\nx' } }, 'user 1', ''],
    ['nothing', {}, '<unlabeled event>', ''],
    ['a browser frame', script('https://a.example/static/cart.js?v=2'), 'TypeError: x', 'cart.js in addItem'],
    ['library frames are no culprit', one(valueError({ frames: [...appFrames('mine'), libraryFrame('theirs')] })), 'ValueError', 'shop.cart in mine'],
    ['a security report', { securityReport: { directive: 'img-src', blockedHost: 'a.example' } }, 'Blocked by img-src: a.example', ''],
    ['the machinery of throwing is no culprit', { platform: 'go', exceptions: [{ type: 'E', frames: [{ module: 'main', function: 'Add' }, { module: 'runtime', function: 'gopanic' }, { module: 'main', function: 'recoverAll' }] }] }, 'E', 'main in Add'],
    ['a stack of library frames alone', one(valueError({ frames: [libraryFrame('outer'), libraryFrame('theirs')] })), 'ValueError', 'django.core.handlers in theirs'],
    ['a stack of frames that grouping ignores', one({ type: 'E', frames: [{ module: 'threading', function: 'run' }] }), 'E', 'threading in run'],
    ['an inline script', { platform: 'javascript', exceptions: [{ type: 'E', frames: [{ absPath: 'https://a.example/orders/123' }] }] }, 'E', '123'],
    ['a frame with an address alone', { platform: 'native', exceptions: [{ type: 'E', frames: [{ instructionAddr: '0x10' }] }] }, 'E', '0x10'],
    ['a log call is no culprit', one(valueError({ frames: [...appFrames('mine'), { module: 'logging', function: 'exception', inApp: true }] })), 'ValueError', 'shop.cart in mine'],
    ['a log call of Java is no culprit', { platform: 'java', exceptions: [{ type: 'E', frames: [{ module: 'app.Cart', function: 'add', inApp: true }, { module: 'ch.qos.logback.classic.Logger', function: 'error', inApp: true }] }] }, 'E', 'app.Cart in add'],
    ['where the program starts is no culprit', { platform: 'native', exceptions: [{ type: 'E', frames: [{ function: 'main', package: '/srv/shop', inApp: true }, { function: 'memcpy', package: '/usr/lib/libc.so.6' }] }] }, 'E', 'memcpy'],
    ['neither type nor value: the code of an NSError', { platform: 'cocoa', exceptions: [{ mechanism: { nsError: { domain: 'NSCocoaErrorDomain', code: '260' } } }] }, 'NSCocoaErrorDomain: code 260', ''],
    ['neither type nor value: the signal', { platform: 'cocoa', exceptions: [{ mechanism: { signal: { name: 'SIGSEGV', code: '1' } }, frames: [{ function: '-[Cart add]', package: '/Shop.app/Shop' }] }] }, 'SIGSEGV in -[Cart add]', '-[Cart add]'],
    ['neither type nor value: the function', { platform: 'cocoa', exceptions: [{ frames: [{ function: '-[Cart add]', package: '/Shop.app/Shop' }] }] }, '-[Cart add]', '-[Cart add]'],
    ['the one error of a group', group(['KeyError', 'KeyError']), 'KeyError', 'shop.cart in task_KeyError'],
  ]
  test.each(rows)('%s', (_name, event, title, culprit) => {
    expect(groupEvent(buildEvent(event))).toMatchObject({ title, culprit })
  })

  test('both are bounded and not cut within a character', () => {
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
  // Each would take hours with a pattern that backtracks; no time is measured, the test only has to
  // end.
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

  test('invalid ids of a group do not change the order of the chain', () => {
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
