/**
 * An HTTP client in its own thread, so that making requests and reading responses does not count as
 * CPU time of the server's thread.
 */
import { Worker } from 'node:worker_threads'

export interface ThreadRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface ThreadReply {
  readonly status: number
  /** The beginning of the body. */
  readonly text: string
  readonly bytes: number
}

const source = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', async ({ no, url, ...request }) => {
  try {
    const reply = await fetch(url, request)
    const text = await reply.text()
    parentPort.postMessage({ no, status: reply.status, text: text.slice(0, 2000), bytes: text.length })
  } catch (error) {
    parentPort.postMessage({ no, status: 0, text: String(error.cause ?? error), bytes: 0 })
  }
})`

export class ClientThread {
  readonly #thread = new Worker(source, { eval: true, execArgv: [] })
  readonly #waiting = new Map<number, (reply: ThreadReply) => void>()
  #no = 0

  constructor() {
    this.#thread.on('message', ({ no, ...reply }: ThreadReply & { no: number }) => {
      this.#waiting.get(no)?.(reply)
      this.#waiting.delete(no)
    })
  }

  /** Sends a request. A request whose connection fails has status 0. */
  send(request: ThreadRequest): Promise<ThreadReply> {
    this.#no += 1
    const no = this.#no
    return new Promise((resolve) => {
      this.#waiting.set(no, resolve)
      this.#thread.postMessage({ no, ...request })
    })
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }
}
