import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasOpenssl, makeCertificate } from '../../../test/fixtures/processes/certificate.ts'
import { systemClock } from '../../clock.ts'
import type { ResolveHost } from './resolve-target.ts'
import { createSafeRequest, type SafeRequestOptions } from './safe-request.ts'
import { targetSettings } from './target-url.ts'

interface Seen {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const seen: Seen[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void
let server: Server
let port: number

function receive(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url: path, headers } = request
    seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
    answer(request, response)
  })
}

const listen = (to: NetServer) =>
  new Promise<number>((resolve) => {
    to.listen(0, '127.0.0.1', () => resolve((to.address() as AddressInfo).port))
  })

beforeAll(async () => {
  server = createServer(receive)
  port = await listen(server)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen.length = 0
  answer = (_request, response) => response.end('thanks')
})

const loopback = targetSettings(['127.0.0.0/8'])
/** Fails the test if DNS is asked. */
const noDns: ResolveHost = () => Promise.reject(new Error('DNS was asked'))

function client(options: Partial<SafeRequestOptions> = {}) {
  const request = createSafeRequest({
    settings: loopback,
    resolve: noDns,
    clock: systemClock,
    ...options,
  })
  return (url: string, headers: Record<string, string> = {}) =>
    request({ url, headers, body: '{"text":"ä"}' })
}

test('a POST with body, headers and path reaches the server', async () => {
  answer = (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('thanks')
  const result = await client()(`http://127.0.0.1:${port}/hook?a=b`, { 'x-one': '1' })
  expect(result).toEqual({ kind: 'response', status: 202, retryAfter: '7', body: 'thanks' })
  expect(seen).toMatchObject([
    {
      method: 'POST',
      path: '/hook?a=b',
      body: '{"text":"ä"}',
      headers: { 'x-one': '1', host: `127.0.0.1:${port}`, 'content-length': '13' },
    },
  ])
})

describe('a host name', () => {
  test('is resolved once, stays in the header, and the connection uses its address', async () => {
    const asked: string[] = []
    const resolve: ResolveHost = async (host) => {
      asked.push(host)
      return ['127.0.0.1']
    }
    const result = await client({ resolve })(`http://hooks.example.test.:${port}/`)
    expect(result).toMatchObject({ kind: 'response', status: 200 })
    expect(asked).toEqual(['hooks.example.test'])
    expect(seen[0]?.headers.host).toBe(`hooks.example.test:${port}`)
  })

  test('that resolves to another address later is connected to the first one', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.9']]
    const resolve: ResolveHost = async () => answers.shift() ?? []
    const send = client({ resolve, settings: targetSettings(['127.0.0.1']) })
    expect(await send(`http://rebinding.test:${port}/`)).toMatchObject({ status: 200 })
    expect(await send(`http://rebinding.test:${port}/`)).toMatchObject({ kind: 'refused' })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['loopback', ['127.0.0.1']],
    ['one private address among public ones', ['8.8.8.8', '10.0.0.1', '1.1.1.1']],
    ['a private IPv6 address beside a public IPv4 address', ['8.8.8.8', 'fd00::1']],
    ['a mapped address', ['::ffff:169.254.169.254']],
    ['an address beyond those that are tried', ['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '::1']],
    ['no address at all', ['nonsense']],
  ])('that resolves to %s is refused and nothing is sent', async (_what, addresses) => {
    const send = client({ settings: targetSettings([]), resolve: async () => addresses })
    const result = await send(`https://inside.test:${port}/`)
    expect(result).toMatchObject({ kind: 'refused' })
    // The log of deliveries is shown to people, who may not learn addresses of the network.
    expect(JSON.stringify(result)).not.toMatch(/127\.0|10\.0|169\.254|fd00/)
    expect(seen).toEqual([])
  })

  test('that resolves to a public address needs https', async () => {
    const send = client({ resolve: async () => ['8.8.8.8'] })
    expect(await send('http://example.test/')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('must use https'),
    })
  })

  test.each([
    ['without an address', async () => [], 'The host has no address.'],
    ['whose DNS fails', noDns, 'The name servers of the host do not answer.'],
    [
      'whose DNS hangs',
      () => new Promise<never>(() => undefined),
      'The name servers of the host do not answer.',
    ],
  ])('%s is a failure', async (_what, resolve, reason) => {
    const send = client({ resolve, timeoutMs: 100 })
    expect(await send('https://example.test/')).toEqual({ kind: 'failed', reason })
  })

  test('with an address that refuses connections is tried at the next one', async () => {
    const resolve: ResolveHost = async () => ['127.0.0.77', '127.0.0.1']
    const result = await client({ resolve })(`http://two.test:${port}/`)
    expect(result).toMatchObject({ kind: 'response', status: 200 })
  })
})

describe('a response', () => {
  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    answer = (_request, response) => response.writeHead(status, { location: '/other' }).end()
    expect(await client()(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'response', status })
    expect(seen).toHaveLength(1)
  })

  test('that does not end is cut at 16 KiB', async () => {
    answer = (_request, response) => {
      const write = () => void (response.write('x'.repeat(5_000)) || response.once('drain', write))
      response.writeHead(200)
      for (let turn = 0; turn < 5; turn += 1) write()
    }
    const result = await client()(`http://127.0.0.1:${port}/`)
    expect(result).toEqual({
      kind: 'response',
      status: 200,
      retryAfter: undefined,
      body: 'x'.repeat(16 * 1024),
    })
  })

  test('whose body stalls counts with what has arrived', async () => {
    answer = (_request, response) => void response.writeHead(200).write('begin')
    const result = await client({ timeoutMs: 300 })(`http://127.0.0.1:${port}/`)
    expect(result).toMatchObject({ kind: 'response', status: 200, body: 'begin' })
  })

  test('that does not come within the time limit is a failure', async () => {
    answer = () => undefined
    expect(await client({ timeoutMs: 200 })(`http://127.0.0.1:${port}/`)).toEqual({
      kind: 'failed',
      reason: 'No response within the time limit.',
    })
  })

  test.each([
    ['with long headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /headers/],
    ['that is no HTTP', '220 smtp.example.test SMTP\r\n', /not valid HTTP/],
    ['that ends early', '', /closed/],
  ])('%s is a failure', async (_what, text, reason) => {
    const raw = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(text))
    })
    const rawPort = await listen(raw)
    const result = await client({ timeoutMs: 2_000 })(`http://127.0.0.1:${rawPort}/`)
    expect(result).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) })
    raw.close()
  })
})

test('a refused connection is a failure that names no address', async () => {
  const closed = createServer()
  const closedPort = await listen(closed)
  await new Promise((resolve) => closed.close(resolve))
  expect(await client()(`http://127.0.0.1:${closedPort}/`)).toEqual({
    kind: 'failed',
    reason: 'The connection was refused.',
  })
})

test('a header with a line break is a failure and sends nothing', async () => {
  const result = await client()(`http://127.0.0.1:${port}/`, { authorization: 'x\r\nhost: y' })
  expect(result).toMatchObject({ kind: 'failed', reason: expect.stringContaining('header') })
  expect(seen).toEqual([])
})

describe.runIf(hasOpenssl)('with TLS', () => {
  let folder: string
  let tls: ReturnType<typeof createHttpsServer>
  let tlsPort: number
  let ca: string
  const names: unknown[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'))
    const { key, cert } = makeCertificate(folder, ['DNS:hooks.test'])
    ca = readFileSync(cert, 'utf8')
    tls = createHttpsServer({ key: readFileSync(key), cert: ca }, (request, response) => {
      names.push((request.socket as TLSSocket & { servername?: unknown }).servername)
      receive(request, response)
    })
    tlsPort = await listen(tls)
  })
  afterAll(() => {
    tls.closeAllConnections()
    tls.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const resolve: ResolveHost = async () => ['127.0.0.1']

  test('the host name is sent in SNI and in the header', async () => {
    const result = await client({ resolve, ca })(`https://hooks.test.:${tlsPort}/`)
    expect(result).toMatchObject({ kind: 'response', status: 200 })
    expect(names).toEqual(['hooks.test'])
    expect(seen[0]?.headers.host).toBe(`hooks.test:${tlsPort}`)
  })

  test('a certificate of another host is refused', async () => {
    expect(await client({ resolve, ca })(`https://other.test:${tlsPort}/`)).toEqual({
      kind: 'failed',
      reason: 'The certificate is not valid for the host.',
    })
    expect(seen).toEqual([])
  })

  test('a certificate that nobody trusts is refused', async () => {
    const result = await client({ resolve })(`https://hooks.test:${tlsPort}/`)
    expect(result).toMatchObject({ kind: 'failed', reason: expect.stringContaining('TLS') })
    expect(seen).toEqual([])
  })
})
