import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { counterOf } from './event-ids.ts'
import { runLoad } from './load.ts'
import { buildWorkload, type WorkloadKind } from './workload.ts'

const runId = 'feedfacecafe0001'
let server: Server | undefined

afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)))
  server = undefined
})

interface Received {
  readonly counters: number[]
  requests: number
}

/**
 * Starts a server that answers each request with the status of `status(number)`; 0 drops the
 * connection.
 */
async function listen(status: (request: number) => number): Promise<[number, Received]> {
  const received: Received = { counters: [], requests: 0 }
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const number = received.requests
      received.requests += 1
      const text = Buffer.concat(chunks).toString('latin1')
      for (const match of text.matchAll(/,"event_id":"([0-9a-f]{32})","level"/g)) {
        received.counters.push(counterOf(runId, match[1]!) ?? -1)
      }
      const code = status(number)
      if (code === 0) request.socket.destroy()
      else response.writeHead(code, { 'content-length': 2 }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return [(server.address() as AddressInfo).port, received]
}

function workload(kind: WorkloadKind) {
  const publicKey = '0123456789abcdef0123456789abcdef'
  const project = { host: '127.0.0.1', projectId: '1', publicKey }
  return buildWorkload({ kind, seed: 3, nowMs: 1_790_000_000_000, runId, ...project })
}

const base = { host: '127.0.0.1', connections: 4, secondsMax: 10, counterFirst: 100 }

describe('load', () => {
  test('sends the requested number of requests, each event once, and records which were answered', async () => {
    const [port, received] = await listen(() => 200)
    const result = await runLoad({ ...base, port, requestsMax: 500 }, workload('1k'))
    expect(result.statuses).toEqual({ 200: 500 })
    expect(received.counters.sort((left, right) => left - right)).toEqual(
      Array.from({ length: 500 }, (_, index) => 100 + index),
    )
    expect([...result.answered.counters()]).toEqual(received.counters)
    expect(result.counterEnd).toBe(600)
    expect(result.latencies.count).toBe(500)
  })

  test('large requests arrive with the correct ids', async () => {
    const [port, received] = await listen(() => 200)
    const templates = workload('50k').filter((template) => template.crc === undefined)
    const result = await runLoad({ ...base, port, requestsMax: 100 }, templates)
    expect(result.events).toBe(100)
    expect(new Set(received.counters).size).toBe(100)
    expect(received.counters).not.toContain(-1)
  })

  test('only status 200 counts as answered, and every status is counted', async () => {
    const [port] = await listen((number) => (number % 4 === 3 ? 503 : 200))
    const result = await runLoad({ ...base, port, requestsMax: 40 }, workload('1k'))
    expect(result.statuses).toEqual({ 200: 30, 503: 10 })
    expect(result.events).toBe(30)
    expect(result.answered.count).toBe(30)
  })

  test('a lost connection is counted and reopened, and its request is not repeated', async () => {
    const [port, received] = await listen((number) => (number % 10 === 9 ? 0 : 200))
    const result = await runLoad({ ...base, port, requestsMax: 60 }, workload('1k'))
    expect(result.broken).toBe(6)
    expect(result.statuses).toEqual({ 200: 54 })
    expect(new Set(received.counters).size).toBe(60)
  })

  test('a rate is maintained', async () => {
    const [port] = await listen(() => 200)
    const result = await runLoad(
      { ...base, port, ratePerSecond: 200, requestsMax: 100 },
      workload('1k'),
    )
    expect(result.seconds).toBeGreaterThan(0.45)
    expect(result.requestsSent).toBe(100)
  })

  test('an unreachable server is an error and not an endless wait', async () => {
    const [port] = await listen(() => 200)
    await new Promise((resolve) => server?.close(resolve))
    await expect(runLoad({ ...base, port, requestsMax: 1 }, workload('1k'))).rejects.toThrow(
      /ECONNREFUSED/,
    )
  })

  test('envelopes with many events count events, not requests', async () => {
    const [port, received] = await listen(() => 200)
    const templates = workload('batch').filter((template) => template.crc === undefined)
    const result = await runLoad({ ...base, port, requestsMax: 20 }, templates)
    expect(result.events).toBe(1000)
    expect(new Set(received.counters).size).toBe(1000)
  })
})
