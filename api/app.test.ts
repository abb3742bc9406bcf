import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appWithoutStores } from '../test/fixtures/api-fixture.ts'
import type { ApiInstance } from './http/route.ts'

let app: ApiInstance
let port: number

beforeAll(async () => {
  const broken = () => Promise.reject(new Error('secret detail'))
  app = await appWithoutStores({ pg: { query: broken, transaction: broken } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app?.close())

async function send(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let reply = ''
  socket.on('data', (chunk) => {
    reply += chunk.toString()
  })
  socket.write(bytes)
  await once(socket, 'close')
  return reply
}

// biome-ignore format: the columns are the point
test.each([
  ['no HTTP',                   'hello\r\n\r\n'],
  ['an unknown version',        'GET / HTTP/9.9\r\n\r\n'],
  ['two lengths',               'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['a head of 100 KB',          `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`],
] as const)('%s gets the error body of the API, and the next request is served', async (_name, bytes) => {
  const reply = await send(bytes)
  expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({ code: 'validation_failed' })
  const health = await fetch(`http://127.0.0.1:${port}/health`)
  expect(await health.json()).toEqual({ status: 'ok' })
})

test('an unexpected error is 500 without details of its cause', async () => {
  const response = await app.inject({
    url: '/api/v1/projects/x/issues',
    headers: { 'x-api-key': `oat_${'a'.repeat(43)}` },
  })
  expect(response.statusCode).toBe(500)
  expect(response.json()).toEqual({ error: 'An internal error occurred.', code: 'internal' })
})
