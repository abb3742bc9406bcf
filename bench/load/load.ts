/**
 * Sends the requests of a workload over raw keep-alive connections, one in flight per connection,
 * and counts the answers. The bytes are prepared beforehand, so a request costs a few microseconds,
 * mostly in the kernel. Time and number are bounded, and nothing is sent twice.
 */
import assert from 'node:assert'
import { connect, type Socket } from 'node:net'
import { threadCpuUs } from '../report/thread-cpu.ts'
import { AnsweredIds } from './answered-ids.ts'
import { createHistogram, type LatencyHistogram, recordLatency } from './latency-histogram.ts'
import { patchRequest, type RequestTemplate } from './request-template.ts'
import { ResponseReader } from './response-reader.ts'

export interface LoadOptions {
  readonly host: string
  readonly port: number
  readonly connections: number
  readonly secondsMax: number
  /** Stops after this number of requests, if the time has not elapsed before. */
  readonly requestsMax?: number
  /** Stops when it is aborted, if neither happened before. */
  readonly until?: AbortSignal
  /** Requests per second. Default: each connection sends as soon as it was answered. */
  readonly ratePerSecond?: number
  /** Counter of the first event; must not repeat within a run. */
  readonly counterFirst: number
  readonly onProgress?: (answered: number) => void
}

export interface LoadResult {
  /** From the first request to the last answer. */
  readonly seconds: number
  readonly requestsSent: number
  /** Requests by status. `broken`: connection lost. `unanswered`: no answer in time. */
  readonly statuses: Readonly<Record<string, number>>
  readonly broken: number
  readonly unanswered: number
  /** Events of requests that were answered 200. */
  readonly events: number
  readonly answered: AnsweredIds
  /** The first unused counter. */
  readonly counterEnd: number
  readonly latencies: LatencyHistogram
  readonly bytesSent: number
  readonly cpuUs: number | undefined
}

interface Lane {
  socket: Socket | undefined
  readonly reader: ResponseReader
  readonly readBuffer: Buffer
  /** The request in flight; its bytes must not change until it is answered. */
  template: RequestTemplate | undefined
  counter: number
  startedAtMs: number
}

const drainMsMax = 15_000
const reconnectMs = 20
const progressMs = 200

export async function runLoad(
  options: LoadOptions,
  templates: readonly RequestTemplate[],
): Promise<LoadResult> {
  assert(0 < options.connections && options.connections <= templates.length)
  const load = new Load(options, templates)
  try {
    await load.connectAll()
    return await load.run()
  } finally {
    load.close()
  }
}

class Load {
  readonly #options: LoadOptions
  readonly #templates: readonly RequestTemplate[]
  readonly #busyTemplates = new Set<RequestTemplate>()
  readonly #lanes: Lane[]
  readonly #idle: Lane[] = []
  readonly #statuses = new Map<number, number>()
  readonly #answered = new AnsweredIds()
  readonly #latencies = createHistogram()
  #templateNext = 0
  #counter: number
  #sent = 0
  #answers = 0
  #broken = 0
  #events = 0
  #bytesSent = 0
  #inFlight = 0
  #sending = false
  #startedAtMs = 0
  #lastAnswerAtMs = 0
  #onSettled: (() => void) | undefined

  constructor(options: LoadOptions, templates: readonly RequestTemplate[]) {
    this.#options = options
    this.#templates = templates
    this.#counter = options.counterFirst
    this.#lanes = Array.from({ length: options.connections }, () => ({
      socket: undefined,
      reader: new ResponseReader(),
      readBuffer: Buffer.allocUnsafeSlow(8 * 1024),
      template: undefined,
      counter: 0,
      startedAtMs: 0,
    }))
  }

  async connectAll(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => this.#open(lane)))
  }

  async run(): Promise<LoadResult> {
    const { secondsMax, ratePerSecond, until, onProgress } = this.#options
    const cpuBefore = threadCpuUs()
    this.#startedAtMs = performance.now()
    this.#lastAnswerAtMs = this.#startedAtMs
    this.#sending = true
    const progress = setInterval(() => onProgress?.(this.#answers), progressMs)
    const pacer = ratePerSecond === undefined ? undefined : setInterval(() => this.#pace(), 1)
    const deadline = setTimeout(() => this.#stopSending(), secondsMax * 1000)
    until?.addEventListener('abort', () => this.#stopSending(), { once: true })
    const giveUp = setTimeout(() => this.#onSettled?.(), secondsMax * 1000 + drainMsMax)
    try {
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve
        if (ratePerSecond === undefined) for (const lane of this.#lanes) this.#sendNext(lane)
        else this.#idle.push(...this.#lanes)
      })
    } finally {
      for (const timer of [progress, pacer]) clearInterval(timer)
      for (const timer of [deadline, giveUp]) clearTimeout(timer)
      this.#sending = false
    }
    const cpuAfter = threadCpuUs()
    return {
      seconds: Math.max(this.#lastAnswerAtMs - this.#startedAtMs, 1) / 1000,
      requestsSent: this.#sent,
      statuses: Object.fromEntries(this.#statuses),
      broken: this.#broken,
      unanswered: this.#inFlight,
      events: this.#events,
      answered: this.#answered,
      counterEnd: this.#counter,
      latencies: this.#latencies,
      bytesSent: this.#bytesSent,
      cpuUs: cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
    }
  }

  close(): void {
    this.#sending = false
    for (const lane of this.#lanes) {
      const { socket } = lane
      lane.socket = undefined
      socket?.destroy()
    }
  }

  async #open(lane: Lane): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const socket = connect({
        host: this.#options.host,
        port: this.#options.port,
        noDelay: true,
        onread: {
          buffer: lane.readBuffer,
          callback: (length) => {
            this.#receive(lane, length)
            return true
          },
        },
      })
      lane.socket = socket
      lane.reader.reset()
      socket.once('connect', resolve)
      socket.once('error', reject)
      socket.once('close', () => this.#lost(lane, socket))
    })
  }

  /** Latency starts at a request's scheduled time, and so includes the wait for a connection. */
  #pace(): void {
    const rate = this.#options.ratePerSecond
    if (rate === undefined || !this.#sending) return
    const due = Math.floor(((performance.now() - this.#startedAtMs) / 1000) * rate)
    while (this.#sent < due && this.#sending) {
      const lane = this.#idle.pop()
      if (lane === undefined) return
      this.#send(lane, this.#startedAtMs + (this.#sent * 1000) / rate)
    }
  }

  #sendNext(lane: Lane): void {
    if (!this.#sending) {
      if (this.#inFlight === 0) this.#onSettled?.()
    } else if (this.#options.ratePerSecond === undefined) {
      this.#send(lane, performance.now())
    } else {
      this.#idle.push(lane)
      this.#pace()
    }
  }

  #send(lane: Lane, startedAtMs: number): void {
    const { socket } = lane
    if (socket === undefined) return
    const template = this.#freeTemplate()
    patchRequest(template, this.#counter)
    lane.template = template
    lane.counter = this.#counter
    lane.startedAtMs = startedAtMs
    this.#counter += template.eventCount
    this.#sent += 1
    this.#inFlight += 1
    this.#bytesSent += template.bytes.length
    socket.write(template.bytes)
    if (this.#sent === this.#options.requestsMax) this.#stopSending()
  }

  /** Takes templates in turn, but none whose bytes a slow connection may still have to write. */
  #freeTemplate(): RequestTemplate {
    for (let tried = 0; tried < this.#templates.length; tried += 1) {
      const template = this.#templates[this.#templateNext]!
      this.#templateNext = (this.#templateNext + 1) % this.#templates.length
      if (this.#busyTemplates.has(template)) continue
      this.#busyTemplates.add(template)
      return template
    }
    throw new Error('more requests in flight than the workload has templates')
  }

  #receive(lane: Lane, length: number): void {
    const { socket } = lane
    if (lane.template === undefined) return
    const state = lane.reader.push(lane.readBuffer.subarray(0, length))
    if (state.kind === 'incomplete') return
    if (state.kind === 'unreadable') {
      socket?.destroy()
      return
    }
    const nowMs = performance.now()
    const { eventCount } = lane.template
    this.#lastAnswerAtMs = nowMs
    this.#answers += 1
    this.#statuses.set(state.status, (this.#statuses.get(state.status) ?? 0) + 1)
    recordLatency(this.#latencies, (nowMs - lane.startedAtMs) * 1000)
    if (state.status === 200) {
      this.#events += eventCount
      for (let event = 0; event < eventCount; event += 1) this.#answered.add(lane.counter + event)
    }
    // After an early answer, the unsent rest of a request must not be sent with the ids of the next
    // one.
    if (socket !== undefined && (state.closes || socket.writableLength > 0)) socket.destroy()
    this.#release(lane)
    if (socket?.destroyed !== true) this.#sendNext(lane)
    else this.#settleIfDone()
  }

  #release(lane: Lane): void {
    if (lane.template === undefined) return
    this.#busyTemplates.delete(lane.template)
    lane.template = undefined
    this.#inFlight -= 1
  }

  #lost(lane: Lane, socket: Socket): void {
    if (lane.socket !== socket) return
    lane.socket = undefined
    const idleIndex = this.#idle.indexOf(lane)
    if (idleIndex !== -1) this.#idle.splice(idleIndex, 1)
    if (lane.template !== undefined) {
      this.#broken += 1
      this.#release(lane)
    }
    this.#settleIfDone()
    if (this.#sending) setTimeout(() => void this.#reopen(lane), reconnectMs)
  }

  async #reopen(lane: Lane): Promise<void> {
    if (!this.#sending) return
    try {
      await this.#open(lane)
      this.#sendNext(lane)
    } catch {
      // Its close event has already asked for the next try.
    }
  }

  #stopSending(): void {
    this.#sending = false
    this.#settleIfDone()
  }

  #settleIfDone(): void {
    if (!this.#sending && this.#inFlight === 0) this.#onSettled?.()
  }
}
