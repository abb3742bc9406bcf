import { encode } from '@msgpack/msgpack'
import { expect, test } from 'vitest'
import { readSentFields } from './read-fields.ts'

const file = (field: string, content: Uint8Array) => ({
  field,
  name: field,
  contentType: 'application/octet-stream',
  content: Buffer.from(content),
})

test.each([
  [
    'the field sentry',
    [['sentry', '{"release":"a@1","tags":{"x":"y"}}']],
    { release: 'a@1', tags: { x: 'y' } },
  ],
  [
    'pieces of it, in order',
    [
      ['sentry__2', '"a@1"}'],
      ['sentry__1', '{"release":'],
    ],
    { release: 'a@1' },
  ],
  [
    'brackets',
    [
      ['sentry[tags][a]', 'b'],
      ['sentry[release]', 'r'],
    ],
    { tags: { a: 'b' }, release: 'r' },
  ],
  [
    'brackets through a text',
    [
      ['sentry[release]', 'r'],
      ['sentry[release][x]', 'y'],
    ],
    { release: 'r' },
  ],
  [
    'brackets of no depth',
    [
      ['sentry[]', 'x'],
      ['sentry[a', 'x'],
    ],
    {},
  ],
  ['too deep brackets', [[`sentry${'[a]'.repeat(11)}`, 'x']], {}],
  [
    'other fields',
    [
      ['prod', 'Shop'],
      ['ver', '1.2'],
    ],
    { extra: { prod: 'Shop', ver: '1.2' } },
  ],
  [
    'no JSON',
    [
      ['sentry', '{'],
      ['sentry', '[]'],
    ],
    {},
  ],
] as const)('%s', (_name, fields, want) => {
  expect(readSentFields({ fields: fields.map(([a, b]) => [a, b] as const), files: [] })).toEqual(
    want,
  )
})

test('names of prototypes are ordinary names', () => {
  const fields = [
    ['sentry[__proto__][polluted]', 'yes'],
    ['sentry[constructor][prototype][polluted]', 'yes'],
    ['__proto__', 'yes'],
  ] as const
  readSentFields({ fields, files: [] })
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('the event and breadcrumbs of Crashpad in MessagePack', () => {
  const event = encode(
    { release: 'a@1', big: 2n ** 40n, bytes: new Uint8Array(3) },
    { useBigInt64: true },
  )
  const crumbs = Buffer.concat([
    encode({ timestamp: '2026-11-23T00:00:02Z', message: 'second' }),
    encode({ timestamp: '2026-11-23T00:00:03Z', message: 'third' }),
    Buffer.from([0xdf, 0xff]),
  ])
  const first = encode({ timestamp: '2026-11-23T00:00:01Z', message: 'first' })
  const files = [
    file('__sentry-event', event),
    file('__sentry-breadcrumb2', crumbs),
    file('__sentry-breadcrumb1', first),
  ]
  const sent = readSentFields({ fields: [], files })
  expect(sent['release']).toBe('a@1')
  expect((sent['breadcrumbs'] as { message: string }[]).map(({ message }) => message)).toEqual([
    'first',
    'second',
    'third',
  ])
})

test.each([
  ['a map that claims four billion entries', [0xdf, 0xff, 0xff, 0xff, 0xff]],
  ['a string that claims a gigabyte', [0xdb, 0x40, 0, 0, 0]],
  ['nested arrays', new Array<number>(10_000).fill(0x91)],
  ['nothing', []],
])('hostile MessagePack: %s', (_name, bytes) => {
  expect(
    readSentFields({ fields: [], files: [file('__sentry-event', Buffer.from(bytes))] }),
  ).toEqual({})
})
