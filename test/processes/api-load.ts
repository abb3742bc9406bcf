import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A few clients with keep-alive connections that send one request after the other. */
export class ApiLoad {
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
