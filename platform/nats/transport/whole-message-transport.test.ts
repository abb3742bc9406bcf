/** Messages of every size over a real nats-server, with and without TLS. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { findNatsServer } from '../../../dev/engines/find-nats-server.ts'
import { freePort } from '../../../dev/processes/free-port.ts'
import { hasOpenssl, makeCertificate } from '../../../test/fixtures/processes/certificate.ts'
import { messageMemory } from './message-memory.ts'
import { connectWholeMessages } from './whole-message-transport.ts'

const sizes = [
  ...[0, 1, 100, 16_000, 16_300, 16_340, 16_384, 16_385, 32_768, 65_536, 100_000],
  ...[1_000_000, 3, 4_194_304, 20, 7, 40_000, 40_000, 5],
]

let folder: string
let program: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-transport-'))
  program = await findNatsServer({
    dataDir: folder,
    env: inheritedEnv(),
    progress: () => undefined,
    stopping: new AbortController().signal,
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function startServer(config: string): Promise<{ url: string; server: ChildProcess }> {
  const port = await freePort()
  const path = join(folder, `${port}.conf`)
  writeFileSync(path, `listen: "127.0.0.1:${port}"\nmax_payload: 8MB\n${config}`)
  const server = spawn(program, ['-c', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error('nats-server ended')))
    let log = ''
    server.stderr.on('data', (text) => {
      log += text
      if (log.includes('Server is ready')) resolve()
    })
  })
  return { url: `127.0.0.1:${port}`, server }
}

/** Sends messages of all sizes, and checks each one that comes back. */
async function exchange(options: ConnectionOptions): Promise<void> {
  const nats = await connectWholeMessages({ ...options, timeout: 10_000 })
  try {
    const messages = nats.subscribe('sizes', { max: sizes.length })
    for (const [at, size] of sizes.entries()) nats.publish('sizes', Buffer.alloc(size, at + 1))
    let at = 0
    for await (const { data } of messages) {
      const expected = Buffer.alloc(sizes[at]!, at + 1)
      expect(Buffer.compare(data, expected), `message ${at}`).toBe(0)
      const isLarge = sizes[at]! >= 16_384
      if (isLarge) expect(data.buffer, `message ${at}`).toBeInstanceOf(SharedArrayBuffer)
      messageMemory.giveBack(data)
      at += 1
    }
    expect(at).toBe(sizes.length)
    expect(await requestOf(nats)).toBe('an answer')
  } finally {
    await nats.close()
  }
}

async function requestOf(nats: NatsConnection): Promise<string> {
  const served = nats.subscribe('ask', {
    callback: (_, message) => void message.respond('an answer'),
  })
  const answer = await nats.request('ask', '', { timeout: 10_000 })
  served.unsubscribe()
  return answer.string()
}

describe('In clear text', () => {
  let started: Awaited<ReturnType<typeof startServer>>
  beforeAll(async () => {
    started = await startServer('')
  })
  afterAll(() => started?.server.kill('SIGKILL'))

  test('messages of all sizes arrive whole, twice in the same memory', async () => {
    await exchange({ servers: started.url })
    const { freeBytes } = messageMemory
    expect(freeBytes).toBeGreaterThan(5_000_000)
    await exchange({ servers: started.url })
    // Two of a size may have been in use at once.
    expect(messageMemory.freeBytes).toBeLessThan(1.5 * freeBytes)
  })

  test('an unreachable server is an error, and the client connects to the next one', async () => {
    const nobody = `127.0.0.1:${await freePort()}`
    await expect(connectWholeMessages({ servers: nobody, reconnect: false })).rejects.toThrow(
      'connection refused',
    )
    await exchange({ servers: [nobody, started.url], noRandomize: true })
  })

  test('a server that ends is connected to again', async () => {
    const own = await startServer('')
    const nats = await connectWholeMessages({ servers: own.url, reconnectTimeWait: 50 })
    try {
      own.server.kill('SIGKILL')
      await once(own.server, 'exit')
      const [, port] = own.url.split(':')
      own.server = spawn(program, ['-a', '127.0.0.1', '-p', port!], { stdio: 'ignore' })
      for await (const { type } of nats.status()) if (type === 'reconnect') break
      expect(await requestOf(nats)).toBe('an answer')
    } finally {
      await nats.close()
      own.server.kill('SIGKILL')
    }
  })
})

describe.runIf(hasOpenssl).each([
  ['after the greeting', 'handshake_first: false', {}],
  ['from the first byte', 'handshake_first: true', { handshakeFirst: true }],
])('With TLS %s', (_, setting, options) => {
  let started: Awaited<ReturnType<typeof startServer>>
  let ca: string
  beforeAll(async () => {
    const { key, cert } = makeCertificate(folder, ['DNS:localhost', 'IP:127.0.0.1'])
    ca = readFileSync(cert, 'utf8')
    const files = `cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}`
    started = await startServer(`tls { ${files}, ${setting} }`)
  })
  afterAll(() => started?.server.kill('SIGKILL'))

  test('messages of all sizes arrive whole', async () => {
    await exchange({ servers: started.url, tls: { ca, ...options } })
  })

  test('a certificate that nobody trusts is refused', async () => {
    const refused = connectWholeMessages({
      ...{ servers: started.url, reconnect: false },
      tls: { ...options },
    })
    await expect(refused).rejects.toThrow(/self-signed|certificate/i)
  })
})
