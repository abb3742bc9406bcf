/**
 * Calls every operation of the OpenAPI document with hostile input and checks the responses: none
 * may be a 5xx, and each must be one that the document describes. The same seed makes the same
 * requests. Each round creates new organizations, because a round also deletes things.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { buildApp } from '../../api/app.ts'
import type { ApiInstance } from '../../api/http/route.ts'
import { ApiDocument, type Operation } from '../fixtures/api-document.ts'
import type { ApiFixture, Call } from '../fixtures/api-fixture.ts'
import { credentialsOf, fillTenant, makeSide, type Side } from '../fixtures/filled-tenant.ts'
import { Random } from '../fixtures/random.ts'
import { type FuzzRequest, makeRequest } from './make-request.ts'

/** Simulated time between two requests. It keeps every request within the rate limits. */
const stepMs = 7_000
const requestsPerOperation = 3
const findingsMax = 50
const bodyCharactersShown = 400

export interface Finding {
  readonly what: string
  readonly operation: string
  readonly caller: string
  readonly request: string
  readonly answer: string
}

export interface FuzzReport {
  readonly requestCount: number
  readonly operationCount: number
  readonly statuses: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  /** Longest time for which the event loop was blocked, without the composing of emails. */
  readonly stallMsMax: number
}

export interface FuzzOptions {
  readonly api: ApiFixture
  readonly seed: number
  /** Called before each round; the run ends when it returns false. */
  readonly shouldContinue: (rounds: number) => boolean
}

export async function fuzzApi({ api, seed, shouldContinue }: FuzzOptions): Promise<FuzzReport> {
  const errors: string[] = []
  const app = await buildApp({ ...api.ctx, log: loggerInto(errors) })
  const document = new ApiDocument(app)
  const run = new FuzzRun(api, app, document, errors)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  try {
    for (let round = 0; shouldContinue(round); round += 1) {
      await run.round(new Random(seed, `round ${round}`), `${seed}-${round}`)
      if (run.findings.length >= findingsMax) break
    }
  } finally {
    delay.disable()
    await app.close()
  }
  return {
    requestCount: run.requestCount,
    operationCount: document.operations.length,
    statuses: Object.fromEntries([...run.statuses].sort()),
    findings: run.findings,
    stallMsMax: Math.round(delay.max / 1e6),
  }
}

function loggerInto(lines: string[]) {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return pino({ level: 'error' }, stream)
}

type Caller = 'own' | 'none' | 'foreign'

class FuzzRun {
  readonly findings: Finding[] = []
  readonly statuses = new Map<string, number>()
  requestCount = 0
  readonly #api: ApiFixture
  readonly #app: ApiInstance
  readonly #document: ApiDocument
  readonly #errors: string[]
  readonly #known = new Set<string>()

  constructor(api: ApiFixture, app: ApiInstance, document: ApiDocument, errors: string[]) {
    this.#api = api
    this.#app = app
    this.#document = document
    this.#errors = errors
  }

  async round(random: Random, name: string): Promise<void> {
    const owner = await makeSide(this.#api, `owner ${name}`)
    const stranger = await makeSide(this.#api, `stranger ${name}`)
    const ids = await fillTenant(this.#api, owner, `fuzz-${name}`)
    for (const operation of inOrder(this.#document.operations, random)) {
      for (let nth = 0; nth < requestsPerOperation; nth += 1) {
        const caller = callerOf(random)
        const request = makeRequest(operation, {
          document: this.#document,
          random,
          idOf: (of, parameter) => idOf(of, parameter, ids),
        })
        const side = caller === 'foreign' ? stranger : owner
        const call = caller === 'none' ? {} : credentialsOf(side, operation.security)
        await this.#send(operation, request, { caller, call, side })
      }
    }
  }

  async #send(
    operation: Operation,
    request: FuzzRequest,
    { caller, call, side }: { caller: Caller; call: Call; side: Side },
  ): Promise<void> {
    this.requestCount += 1
    this.#api.time.nowMs += stepMs
    const person = call.login ? { cookie: side.login.cookie, 'x-csrf-token': side.login.csrf } : {}
    const token = call.token === undefined ? {} : { 'x-api-key': call.token }
    const errorsBefore = this.#errors.length
    const response = await this.#app.inject({
      method: request.method,
      url: request.url,
      headers: { ...person, ...token, ...call.headers, ...request.headers },
      remoteAddress: `2001:db8:${(this.requestCount & 0xffff).toString(16)}::1`,
      ...(request.payload === undefined ? {} : { payload: request.payload }),
    })
    const status = String(response.statusCode)
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    const what =
      response.statusCode >= 500
        ? `status ${status}: ${this.#errors.slice(errorsBefore).join('').slice(0, 3_000)}`
        : this.#document.undescribed(operation, {
            status: response.statusCode,
            contentType: String(response.headers['content-type'] ?? ''),
            text: response.body,
          })
    if (what === undefined) return
    const key = `${operation.name} ${what.slice(0, 200).replace(/\d+|[0-9a-f-]{36}/g, '')}`
    if (this.#known.has(key) || this.findings.length >= findingsMax) return
    this.#known.add(key)
    this.findings.push({
      what,
      operation: operation.name,
      caller,
      request: shown(request),
      answer: response.body.slice(0, bodyCharactersShown),
    })
  }
}

/** Operations that delete or end something run last. */
function inOrder(operations: readonly Operation[], random: Random): Operation[] {
  const rank = ({ method, name }: Operation) =>
    name.endsWith('/logout')
      ? 3
      : name.startsWith('PATCH /api/v1/me')
        ? 2
        : method === 'DELETE'
          ? 1
          : 0
  return operations
    .map((operation) => ({ operation, at: random.share() }))
    .sort((a, b) => rank(a.operation) - rank(b.operation) || a.at - b.at)
    .map(({ operation }) => operation)
}

function callerOf(random: Random): Caller {
  const share = random.share()
  return share < 0.75 ? 'own' : share < 0.9 ? 'foreign' : 'none'
}

/** The owner's id for a path parameter, found by its name or by the path segment before it. */
function idOf({ template }: Operation, parameter: string, ids: Map<string, string>) {
  const parts = template.split('/')
  return ids.get(parameter) ?? ids.get(parts[parts.indexOf(`{${parameter}}`) - 1] ?? '')
}

function shown({ method, url, headers, payload }: FuzzRequest): string {
  const body = payload === undefined ? '' : ` ${JSON.stringify(String(payload)).slice(0, 600)}`
  return `${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)}${body}`
}
