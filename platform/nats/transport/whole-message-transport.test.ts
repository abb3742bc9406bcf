/** Messages of every size over a real nats-server, with and without TLS. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { findNatsServer } from '../../../dev/engines/find-nats-server.ts'
import { freePort } from '../../../dev/processes/free-port.ts'
import { hasOpenssl, makeCertificate } from '../../../test/fixtures/processes/certificate.ts'
import { messageMemory } from './message-memory.ts'
import { connectWholeMessages } from './whole-message-transport.ts'

const sizes = [
  ...[0, 1, 100, 16_000, 16_200, 16_384, 16_385, 32_768, 65_536, 100_000],
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
  const storeDir = JSON.stringify(join(folder, `${port}`))
  const common = `listen: "127.0.0.1:${port}"\nmax_payload: 8MB\njetstream: {store_dir: ${storeDir}}`
  writeFileSync(path, `${common}\n${config}`)
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

/** Sends messages of all sizes to a stream and to a subscription, and checks what comes back. */
async function exchange(options: ConnectionOptions): Promise<void> {
  const nats = await connectWholeMessages({ ...options, timeout: 10_000 })
  try {
    const manager = await jetstreamManager(nats)
    const name = `sizes-${randomUUID()}`
    await manager.streams.add({ name, subjects: [name], storage: StorageType.Memory })
    const messages = nats.subscribe(name, { max: sizes.length })
    for (const [at, size] of sizes.entries()) nats.publish(name, Buffer.alloc(size, at + 1))
    await checkMessages(messages, { areShared: false })

    const consumer = await jetstream(nats).consumers.get(name)
    await checkMessages(await consumer.consume(), { areShared: true })
    await manager.streams.delete(name)
    expect(await requestOf(nats)).toBe('an answer')
  } finally {
    await nats.close()
  }
}

/** Only what a stream delivers is given back, so only that lies in shared memory. */
async function checkMessages(
  messages: AsyncIterable<{ data: Uint8Array }>,
  { areShared }: { areShared: boolean },
): Promise<void> {
  let at = 0
  for await (const { data } of messages) {
    const expected = Buffer.alloc(sizes[at]!, at + 1)
    expect(Buffer.compare(data, expected), `message ${at}`).toBe(0)
    const isShared = data.buffer instanceof SharedArrayBuffer
    expect(isShared, `message ${at}`).toBe(areShared && sizes[at]! >= 16_384)
    messageMemory.giveBack(data)
    at += 1
    if (at === sizes.length) break
  }
  expect(at).toBe(sizes.length)
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

  test('messages of all sizes arrive whole, again and again in the same memory', async () => {
    for (let turn = 0; turn < 5; turn += 1) await exchange({ servers: started.url })
    expect(messageMemory.usedBytes).toBe(0)
    // One slab holds all messages of a turn.
    expect(messageMemory.bytes).toBe(8 * 2 ** 20)
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
