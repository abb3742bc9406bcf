import { describe, expect, test } from 'vitest'
import { ResponseReader } from './response-reader.ts'

const good = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

describe('response reader', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['a whole response', good, { kind: 'complete', status: 200, closes: false }],
    ['names in any case', 'HTTP/1.1 503 X\r\ncOnTeNt-lEnGtH: 0\r\n\r\n', { kind: 'complete', status: 503, closes: false }],
    ['a body cut short', good.slice(0, -1), { kind: 'incomplete' }],
    ['a head cut short', 'HTTP/1.1 200 OK\r\nContent-Le', { kind: 'incomplete' }],
    ['no content length', 'HTTP/1.1 200 OK\r\nX: y\r\n\r\n', { kind: 'unreadable' }],
    ['an invalid content length', 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n', { kind: 'unreadable' }],
    ['more than one response', good + good, { kind: 'unreadable' }],
    ['a protocol other than HTTP', 'garbage garbage\r\ncontent-length: 0\r\n\r\n', { kind: 'unreadable' }],
  ])('%s', (_name, text, want) => {
    expect(new ResponseReader().push(Buffer.from(text))).toEqual(want)
  })

  test('a response that arrives byte by byte is parsed, and so is the next one', () => {
    const reader = new ResponseReader()
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < good.length - 1; at += 1) {
        expect(reader.push(Buffer.from(good.slice(at, at + 1))).kind).toBe('incomplete')
      }
      expect(reader.push(Buffer.from('}'))).toEqual({
        kind: 'complete',
        status: 200,
        closes: false,
      })
    }
  })

  test('a head without an end is rejected', () => {
    const reader = new ResponseReader()
    const line = Buffer.from(`X-Filler: ${'x'.repeat(4_000)}\r\n`)
    reader.push(Buffer.from('HTTP/1.1 200 OK\r\n'))
    const kinds = Array.from({ length: 5 }, () => reader.push(line).kind)
    expect(kinds).toContain('unreadable')
  })
})
