/**
 * The receiver of the webhooks of the fault rounds. While a round has faults, the round's seed
 * decides its answers: errors, `429` with `Retry-After`, silence, closed connections, and times in
 * which it is away. It remembers what it has seen under each `webhook-id`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { type Random, seededRandom } from '../../../bench/load/random.ts'

export interface SeenWebhook {
  readonly id: string
  readonly path: string
  readonly body: string
  /** Requests with this id. */
  requests: number
  /** Those that were answered 2xx. */
  accepted: number
}

export const troubles = [
  'error',
  'throttle',
  'close',
  'hang',
  'endless',
  'redirect',
  'slow',
] as const
type Trouble = (typeof troubles)[number]

interface Hook {
  readonly secret: string
  readonly random: Random
}

/** Of a hundred answers while there are faults; the rest is fine. */
const shares: Readonly<Record<Trouble, number>> = {
  error: 10,
  throttle: 8,
  close: 8,
  hang: 4,
  endless: 3,
  redirect: 3,
  slow: 4,
}
const slowMsMax = 500

export class AlertReceiver {
  readonly #server: Server
  readonly #hooks = new Map<string, Hook>()
  readonly #seen = new Map<string, SeenWebhook>()
  readonly #findings = new Set<string>()
  readonly #answers = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  /** Responses that have not ended, because of a fault. */
  readonly #open = new Set<ServerResponse>()
  #seed: number | undefined
  #isAway = false

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      if (this.#isAway) {
        socket.resetAndDestroy()
        return
      }
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (request, response) => void this.#receive(request, response))
  }

  static async start(): Promise<AlertReceiver> {
    const server = createServer()
    const receiver = new AlertReceiver(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** From now on the answers follow from the seed, for the hooks that are added afterwards. */
  trouble(seed: number): void {
    this.#seed = seed
  }

  /** @param path of the hook's URL. */
  addHook(path: string, secret: string): void {
    const random = seededRandom((this.#seed ?? 0) ^ Math.imul(this.#hooks.size + 1, 0x9e37_79b1))
    this.#hooks.set(path, { secret, random })
  }

  /** Resets all connections until `comeBack`. */
  goAway(): void {
    this.#isAway = true
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  comeBack(): void {
    this.#isAway = false
  }

  /** Ends what hangs. All further requests are accepted. */
  heal(): void {
    this.#seed = undefined
    this.#isAway = false
    for (const response of this.#open) response.destroy()
  }

  seenAt(path: string): SeenWebhook[] {
    return [...this.#seen.values()].filter((seen) => seen.path === path)
  }

  /** Requests that no receiver may get: a wrong signature, or one id for two messages. */
  get findings(): readonly string[] {
    return [...this.#findings]
  }

  /** How many requests were answered how, since the last call. */
  takeAnswers(): ReadonlyMap<string, number> {
    const answers = new Map(this.#answers)
    this.#answers.clear()
    return answers
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      // The sender died in the middle of its request.
      return
    }
    const path = request.url ?? ''
    const hook = this.#hooks.get(path)
    const body = Buffer.concat(chunks).toString('utf8')
    const seen = this.#note({ path, hook, body, headers: request.headers })
    const trouble = this.#seed === undefined ? undefined : troubleOf(hook?.random)
    const name = trouble ?? 'accepted'
    this.#answers.set(name, (this.#answers.get(name) ?? 0) + 1)
    if (trouble === 'slow') {
      const ms = hook?.random.below(slowMsMax) ?? 0
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
    this.#answer(response, trouble, seen)
  }

  #note({
    path,
    hook,
    body,
    headers,
  }: {
    readonly path: string
    readonly hook: Hook | undefined
    readonly body: string
    readonly headers: IncomingMessage['headers']
  }): SeenWebhook | undefined {
    const id = String(headers['webhook-id'])
    if (hook === undefined) {
      this.#findings.add(`a request was sent to ${path}, which is no target`)
      return undefined
    }
    try {
      new Webhook(hook.secret).verify(body, headers as Record<string, string>)
    } catch (error) {
      this.#findings.add(`the signature of ${id} is wrong: ${error}`)
    }
    const known = this.#seen.get(id)
    if (known === undefined) {
      const seen = { id, path, body, requests: 1, accepted: 0 }
      this.#seen.set(id, seen)
      return seen
    }
    known.requests += 1
    if (known.path !== path) this.#findings.add(`${id} was sent to two targets`)
    if (known.body !== body) this.#findings.add(`${id} was sent with two bodies`)
    return known
  }

  #answer(
    response: ServerResponse,
    trouble: Trouble | undefined,
    seen: SeenWebhook | undefined,
  ): void {
    this.#open.add(response)
    response.on('close', () => this.#open.delete(response))
    switch (trouble) {
      case undefined:
      case 'slow':
        response.writeHead(204).end()
        break
      case 'error':
        response.writeHead(500).end('broken')
        return
      case 'throttle':
        response.writeHead(429, { 'retry-after': '2' }).end()
        return
      case 'redirect':
        response.writeHead(302, { location: this.url }).end()
        return
      case 'close':
        response.destroy()
        return
      case 'hang':
        return
      case 'endless':
        // The status is the answer, however the body ends.
        response.writeHead(200).write('{')
        break
    }
    if (seen !== undefined && !response.destroyed) seen.accepted += 1
  }
}

function troubleOf(random: Random | undefined): Trouble | undefined {
  let dice = random?.below(100) ?? 100
  for (const trouble of troubles) {
    dice -= shares[trouble]
    if (dice < 0) return trouble
  }
  return undefined
}
