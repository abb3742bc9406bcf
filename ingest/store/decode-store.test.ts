import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventBytesMax, MiB } from '#schemas/limits.ts'
import { decodeStore } from './decode-store.ts'

const event = '{"message":"a"}'
const inBase64 = Buffer.from(event).toString('base64')
const megabyte = MiB

// biome-ignore format: the columns are the point
test.each([
  ['JSON                       ', event,                                            'event'],
  ['base64                     ', inBase64,                                         'event'],
  ['base64 between white space ', `\r\n ${inBase64}\t\n`,                           'event'],
  ['base64 of zlib, in lines   ', deflateSync(event).toString('base64').replace(/.{4}/g, '$&\r\n'), 'event'],
  ['base64 with three pads     ', `${inBase64}===`,                                 'malformed'],
  ['base64 after its pads      ', `e30=${inBase64}`,                                'malformed'],
  ['base64 of noise            ', 'abcd',                                           'malformed'],
  ['the largest event          ', `{"a":"${'x'.repeat(eventBytesMax - 8)}"}`,       'event'],
  ['one byte more              ', `{"a":"${'x'.repeat(eventBytesMax - 7)}"}`,       'too_large'],
  ['zlib of one byte more      ', deflateSync(`{"a":"${'x'.repeat(eventBytesMax - 7)}"}`).toString('base64'), 'too_large'],
  ['nothing but white space    ', ' '.repeat(1000),                                 'malformed'],
] as const)('the encoding of a /store/ body is recognised by its bytes: %s', (_name, body, kind) => {
  expect(decodeStore(Buffer.from(body)).kind).toBe(kind)
})

// A backtracking pattern takes quadratic time on each of these; at these lengths the runner's
// timeout would detect it.
describe('hostile bodies are refused in one pass', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['spaces and then no base64   ', `A${' '.repeat(megabyte - 2)}!`,       'malformed'],
    ['alternating with spaces     ', `${'A '.repeat(megabyte / 2 - 1)}!`,   'malformed'],
    ['an unclosed escaped string  ', `{"${'\\"'.repeat(megabyte / 2 - 8)}`, 'malformed'],
    ['strings that never close    ', `{${'"\\'.repeat(megabyte / 2 - 8)}`,  'malformed'],
  ] as const)('%s', (_name, body, kind) => {
    expect(decodeStore(Buffer.from(body)).kind).toBe(kind)
  })

  test('a body larger than any event in base64 is not decoded', () => {
    const body = Buffer.alloc(50 * MiB, ' ')
    body.find = () => expect.fail('the bytes were looked at')
    body[Symbol.iterator] = () => expect.fail('the bytes were looked at')
    expect(decodeStore(body)).toEqual({ kind: 'too_large' })
  })
})
