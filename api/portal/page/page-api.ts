/**
 * Calls the public API over its own routes, in this process and with the client address of the
 * visitor, so that all limits of writes apply. Reads are limited as page views before.
 */
import type { FastifyRequest } from 'fastify'
import { clientIp } from '../../http/client-address.ts'
import type { ApiInstance } from '../../http/route.ts'
import { pagePassHeader, pagePassOf } from '../gate/page-pass.ts'
import type { Visitor } from './visitor.ts'
import type { RefusedBody } from './words/refusal-keys.ts'

export interface ApiReply<Body> {
  readonly status: number
  readonly body: Body
  readonly retryAfterSeconds: number | undefined
  /** Limit of the rate window that counted the request. */
  readonly limit: number | undefined
}

export class PortalApiError extends Error {
  readonly reply: ApiReply<RefusedBody>

  constructor(reply: ApiReply<RefusedBody>) {
    super(`the portal API answered ${reply.status}`)
    this.reply = reply
  }
}

export class PageApi {
  readonly #app: ApiInstance
  readonly #request: FastifyRequest
  readonly #base: string
  readonly visitor: Visitor

  constructor(app: ApiInstance, request: FastifyRequest, base: string, visitor: Visitor) {
    this.#app = app
    this.#request = request
    this.#base = base
    this.visitor = visitor
  }

  /** Throws PortalApiError for any status but 200. */
  async get<Body>(path: string, query: Readonly<Record<string, string>> = {}): Promise<Body> {
    const text = new URLSearchParams({ ...query, ...this.visitor.fields }).toString()
    const reply = await this.#send<Body>('GET', `${path}${text === '' ? '' : `?${text}`}`)
    if (reply.status === 200) return reply.body
    throw new PortalApiError(reply as ApiReply<object>)
  }

  async post<Body>(path: string, fields: Readonly<Record<string, string>>): Promise<Body> {
    const reply = await this.#send<Body>('POST', path, { ...fields, ...this.visitor.fields })
    if (reply.status < 300) return reply.body
    throw new PortalApiError(reply as ApiReply<object>)
  }

  async delete(path: string): Promise<void> {
    const reply = await this.#send<object>(
      'DELETE',
      `${path}?${new URLSearchParams(this.visitor.fields)}`,
    )
    if (reply.status >= 300) throw new PortalApiError(reply)
  }

  async #send<Body>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<ApiReply<Body>> {
    const response = await this.#app.inject({
      method,
      url: `${this.#base}${path}`,
      remoteAddress: clientIp(this.#request),
      headers: { [pagePassHeader]: pagePassOf(this.#app) },
      ...(payload === undefined ? {} : { payload }),
    })
    const { 'retry-after': retryAfter, 'ratelimit-limit': limit } = response.headers
    return {
      status: response.statusCode,
      body: response.json<Body>(),
      retryAfterSeconds: numberIn(retryAfter),
      limit: numberIn(limit),
    }
  }
}

function numberIn(header: unknown): number | undefined {
  const number = header === undefined ? Number.NaN : Number(header)
  return Number.isFinite(number) ? number : undefined
}
