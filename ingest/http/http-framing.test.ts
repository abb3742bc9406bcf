/**
 * Requests whose body could end at two positions are refused, and no byte after them is read as a
 * request.
 */
import { expect, test } from 'vitest'
import { envelopePath, oneEvent, serveTests } from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()
const length = `Content-Length: ${oneEvent.length}\r\n`
const chunks = `${oneEvent.length.toString(16)}\r\n${oneEvent}\r\n0\r\n\r\n`

// biome-ignore format: the columns are the point
const ambiguous = [
  ['a length that is longer the second time',   `${length}Content-Length: 4000\r\n`,                              oneEvent],
  ['a length that is shorter the second time',  `${length}Content-Length: 1\r\n`,                                 oneEvent],
  ['two lengths far apart',                     `${length}X-A: 1\r\nX-B: 2\r\nCONTENT-LENGTH: 0\r\n`,             oneEvent],
  ['three lengths, the last one different',     `${length}${length}Content-Length: 7\r\n`,                        oneEvent],
  ['the same number, written differently',      `${length}Content-Length: 0${oneEvent.length}\r\n`,               oneEvent],
  ['an empty length',                           'Content-Length:\r\n',                                            ''],
  ['an empty length after a length',            `${length}Content-Length: \r\n`,                                  oneEvent],
  ['an unknown transfer encoding',              'Transfer-Encoding: xchunked\r\n',                                chunks],
  ['gzip as transfer encoding',                 'Transfer-Encoding: gzip, chunked\r\n',                           chunks],
  ['two transfer encodings',                    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',  chunks],
  ['a length and chunks',                       `${length}Transfer-Encoding: chunked\r\n`,                        chunks],
  ['a list of lengths',                         `Content-Length: ${oneEvent.length}, 4\r\n`,                      oneEvent],
  ['a signed length',                           `Content-Length: +${oneEvent.length}\r\n`,                        oneEvent],
] as const
const starts = [
  `POST ${envelopePath}`,
  'GET /health',
  'GET /health/ready',
  'OPTIONS /api/42/envelope/',
  'POST /elsewhere',
  'PUT /api/42/store/',
]

test.concurrent.each(ambiguous)('refused: %s', async (_name, headers, body) => {
  for (const start of starts) {
    const reply = await server.raw((socket) => {
      socket.write(`${start} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`)
    }, isAnswered)
    expect(reply, start).toMatch(/^HTTP\/1.1 400 /)
    expect(reply.toLowerCase(), start).toContain('connection: close')
  }
  server.ctx.batcher.flush()
  expect(server.events()).toEqual([])
})

test.concurrent.each([
  ...ambiguous,
  ['an empty length before a body', 'Content-Length:\r\n', oneEvent] as const,
])('the bytes after it are not read as a request: %s', async (_name, headers, body) => {
  const smuggled = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\n${length}\r\n${oneEvent}`
  for (const start of starts) {
    const reply = await server.raw((socket) => {
      socket.write(`${start} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}${smuggled}`)
    }, isAnswered)
    // The connection may be closed without a reply.
    expect(reply, start).toMatch(/^$|^HTTP\/1.1 (?:400|505) /)
    expect(reply, start).not.toContain('HTTP/1.1 200')
  }
  server.ctx.batcher.flush()
  expect(server.events()).toEqual([])
  expect(server.errors).toEqual([])
})

// biome-ignore format: the columns are the point
test.each([
  ['one length',           length,                                oneEvent],
  ['the same length twice', `${length}${length}`,                 oneEvent],
  ['chunks',               'Transfer-Encoding: chunked\r\n',      chunks],
  ['chunks in capitals',   'transfer-encoding: CHUNKED\r\n',      chunks],
])('accepted: %s', async (_name, headers, body) => {
  const reply = await server.raw((socket) => {
    socket.write(`POST ${envelopePath} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`)
  })
  expect(reply).toMatch(/^HTTP\/1.1 200 /)
  expect(server.events()).toHaveLength(1)
})

const isAnswered = (text: string) => text.includes('\r\n\r\n')

test('the reply to an ambiguous request explains how to fix it', async () => {
  const reply = await server.raw((socket) => {
    socket.write(`POST ${envelopePath} HTTP/1.1\r\nHost: x\r\n${length}Content-Length: 1\r\n\r\n`)
  })
  expect(reply).toContain('X-Sentry-Error: the length of the body is ambiguous')
  expect(reply).toContain('send one Content-Length, or Transfer-Encoding: chunked')
})
