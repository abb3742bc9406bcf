/**
 * Sends GET, POST and DELETE requests over raw keep-alive connections, one in flight per
 * connection, each with another client address in X-Forwarded-For, and measures each. It adds a few
 * microseconds per request, the same for every server.
 */
import { connect, type Socket } from 'node:net'

export interface PortalRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: string
}

export interface PortalLoad {
  readonly host: string
  readonly port: number
  readonly connections: number
  /** The load ends at the first of both limits. */
  readonly requestsMax: number
  readonly secondsMax: number
  readonly next: (index: number) => PortalRequest
  readonly monotonicMs: () => number
}

export interface PortalLoadResult {
  readonly seconds: number
  readonly answered: number
  /** Sorted in ascending order. */
  readonly latenciesMs: Float64Array
  readonly bytesReceived: number
}

let clients = 0

export async function loadPortal(load: PortalLoad): Promise<PortalLoadResult> {
  const latencies: number[] = []
  let sent = 0
  let bytesReceived = 0
  const startedMs = load.monotonicMs()
  const endMs = startedMs + load.secondsMax * 1000
  const lane = async () => {
    const socket = connect({ host: load.host, port: load.port, noDelay: true })
    const answers = new Answers(socket)
    try {
      while (sent < load.requestsMax && load.monotonicMs() < endMs) {
        const request = load.next(sent)
        sent += 1
        const beganMs = load.monotonicMs()
        socket.write(bytesOf(load, request))
        const { status, bytes } = await answers.next()
        if (status !== 200) throw new Error(`${request.method} ${request.path} answered ${status}`)
        latencies.push(load.monotonicMs() - beganMs)
        bytesReceived += bytes
      }
    } finally {
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: load.connections }, lane))
  const seconds = (load.monotonicMs() - startedMs) / 1000
  const latenciesMs = Float64Array.from(latencies).sort()
  return { seconds, answered: latencies.length, latenciesMs, bytesReceived }
}

export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function bytesOf(load: PortalLoad, { method, path, body }: PortalRequest): string {
  clients = (clients + 1) % (254 * 256 * 256)
  const address = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${load.host}\r\nX-Forwarded-For: ${address}\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const headEnd = Buffer.from('\r\n\r\n')
const answerBytesMax = 1024 * 1024

/** Parses the responses of one connection, which must have a Content-Length. */
class Answers {
  #parts: Buffer[] = []
  #length = 0
  #wanted = 0
  #settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  constructor(socket: Socket) {
    socket.on('data', (part) => this.#take(part))
    socket.on('error', (error) => this.#settle?.reject(error))
    socket.on('close', () => this.#settle?.reject(new Error('a connection was closed')))
  }

  next(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
  }

  #take(part: Buffer): void {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length < this.#wanted) return
    const bytes = this.#parts.length === 1 ? part : Buffer.concat(this.#parts)
    this.#parts = [bytes]
    const end = bytes.indexOf(headEnd)
    if (end === -1) return
    const head = bytes.toString('latin1', 0, end)
    const length = /content-length: *(\d+)/i.exec(head)?.[1]
    this.#wanted = end + headEnd.length + Number(length)
    if (length === undefined || answerBytesMax < this.#wanted) {
      this.#settle?.reject(new Error(`an answer without a usable length: ${head.slice(0, 100)}`))
      return
    }
    if (bytes.length < this.#wanted) return
    this.#parts = []
    this.#length = 0
    this.#wanted = 0
    this.#settle?.resolve({ status: Number(head.slice(9, 12)), bytes: bytes.length })
  }
}

interface Answer {
  readonly status: number
  readonly bytes: number
}
