/**
 * Restarts the services under load: no request is refused, disconnected or left without a response.
 */
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadUnderFaults } from '../faults/load-and-check.ts'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const product = productOfThisFile()

test('every service is replaced under load without a failed request', async () => {
  const { stack } = product()
  const before = pids()
  // Health checks are rate-limited by address; this page is not.
  const api = new ApiLoad(`${stack.urls.api}/portal/embed.js`)
  const result = await loadUnderFaults(stack, {
    kind: '1k',
    requests: 8_000,
    connections: 32,
    ratePerSecond: 1_000,
    faults: async () => {
      await sleep(500)
      await stack.handOver()
    },
  })
  await waitUntil('the API to be handed over', async () =>
    stack.lastLines().some((line) => line.includes('handed_over')),
  )
  const answers = await api.stop()

  expect(result.load.statuses).toEqual({ '200': 8_000 })
  expect(result.load.broken).toBe(0)
  expect(result.ids).toMatchObject({ missing: 0, duplicates: 0, foreign: 0 })
  expect(result.accounting.faults).toEqual([])
  expect(answers.failures).toEqual([])
  expect(answers.count).toBeGreaterThan(100)
  // The launcher process of the API stays, but the process behind it is new.
  expect(pids().ingest).not.toBe(before.ingest)
  expect(pids().workers).not.toBe(before.workers)
  // Metrics keep their URLs.
  for (const [name, url] of Object.entries(stack.demo.metricsUrls)) {
    await waitUntil(`the metrics of ${name}`, async () => {
      const response = await fetch(url).catch(() => undefined)
      return response?.ok === true && (await response.text()).includes('process_start_time_seconds')
    })
  }
})

function pids() {
  const { ingest, workers } = product().stack.services
  return { ingest: ingest.pid, workers: workers.pid }
}

/** A few clients with keep-alive connections that send one request after the other. */
class ApiLoad {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 })
  readonly #clients: Promise<void>[]
  readonly #failures: string[] = []
  #count = 0
  #isOver = false

  constructor(url: string) {
    this.#clients = Array.from({ length: 4 }, () => this.#ask(url))
  }

  async stop(): Promise<{ count: number; failures: readonly string[] }> {
    this.#isOver = true
    await Promise.all(this.#clients)
    this.#agent.destroy()
    return { count: this.#count, failures: this.#failures }
  }

  async #ask(url: string): Promise<void> {
    while (!this.#isOver) {
      const status = await new Promise<number | string>((resolve) => {
        get(url, { agent: this.#agent }, (response) => {
          response.resume()
          response.on('end', () => resolve(response.statusCode ?? 0))
        }).on('error', (error) => resolve(error.message))
      })
      if (status !== 200) this.#failures.push(String(status))
      this.#count += 1
      await sleep(5)
    }
  }
}
