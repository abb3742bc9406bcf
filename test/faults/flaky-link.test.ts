import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FlakyLink } from './flaky-link.ts'

let echo: Server
let link: FlakyLink
let client: Client

beforeEach(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const address = echo.address() as { port: number }
  link = await FlakyLink.open('test', { host: '127.0.0.1', port: address.port })
  client = await Client.connect(link.port)
})

afterEach(async () => {
  client.socket.destroy()
  await link.close()
  echo.close()
})

test('a healthy link forwards all bytes and the end of the stream', async () => {
  const text = 'x'.repeat(3_000_000)
  client.socket.end(text)
  await once(client.socket, 'end')
  expect(client.received).toBe(text)
})

test('latency delays and keeps the order, also when it ends early', async () => {
  link.trouble({ kind: 'latency', ms: 150 })
  client.socket.write('a')
  await sleep(50)
  expect(client.received).toBe('')
  client.socket.write('b')
  await sleep(20)
  link.heal()
  client.socket.write('c')
  await client.has('abc')
})

test('a cut forwards a number of bytes and then resets the connection', async () => {
  link.trouble({ kind: 'cut', afterBytes: 3 })
  client.socket.write('12345')
  await client.broken()
  expect('123').toMatch(new RegExp(`^${client.received}`))
})

test('a stall holds the bytes and delivers them when it heals', async () => {
  link.trouble({ kind: 'stall' })
  client.socket.write('late')
  await sleep(60)
  expect(client.received).toBe('')
  link.heal()
  await client.has('late')
})

test('a black hole drops the bytes and resets the connection when it heals', async () => {
  link.trouble({ kind: 'black_hole' })
  client.socket.write('lost')
  await sleep(60)
  expect(client.socket.destroyed).toBe(false)
  link.heal()
  await client.broken()
  expect(client.received).toBe('')
})

test('a refusing link resets existing and new connections until it heals', async () => {
  link.trouble({ kind: 'refuse' })
  await client.broken()
  const refused = await Client.connect(link.port)
  await refused.broken()
  link.heal()
  const late = await Client.connect(link.port)
  late.socket.write('here')
  await late.has('here')
  late.socket.destroy()
})

class Client {
  readonly socket: Socket
  received = ''

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1')
    })
  }

  static async connect(port: number): Promise<Client> {
    const socket = connect({ host: '127.0.0.1', port })
    const client = new Client(socket)
    // A refusing link may reset the connection before the client sees it as connected.
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
    return client
  }

  async has(text: string): Promise<void> {
    await expect.poll(() => this.received).toBe(text)
  }

  async broken(): Promise<void> {
    await expect.poll(() => this.socket.destroyed).toBe(true)
  }
}
