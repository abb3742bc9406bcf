import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchText } from './http-fetch.ts'

let server: Server
let base: string
beforeAll(async () => {
  server = createServer((request, response) => {
    switch (request.url) {
      case '/text':
        return response.end('hello')
      case '/large':
        return response.end('x'.repeat(64 * 1024 + 1))
      case '/elsewhere':
        return response.writeHead(302, { location: '/text' }).end()
      default:
        return response.writeHead(404).end('no')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('the result is the body of the response', async () => {
  expect(await fetchText(`${base}/text`)).toBe('hello')
})

test.each([
  ['larger than 64 KiB', '/large'],
  ['a redirect', '/elsewhere'],
  ['an error status', '/missing'],
])('a response that is %s is an error', async (_why, path) => {
  await expect(fetchText(`${base}${path}`)).rejects.toThrow()
})
