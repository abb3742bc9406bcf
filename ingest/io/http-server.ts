/**
 * The HTTP server on uWebSockets.js. A request is read at once, because
 * `req` is invalid after the handler returns. `res` is never used after the answer or an abort.
 */

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { CredentialCache } from '../auth/credential-cache.ts'
import { type Credentials, credentialsOfKey } from '../auth/read-credentials.ts'
import { bodyEncodingOf } from '../body/body-encoding.ts'
import {
  type Endpoint,
  type EndpointRequest,
  envelopeEndpoint,
  matchEndpoint,
  storeEndpoint,
} from '../http/endpoints.ts'
import {
  type Reply,
  replyInternal,
  replyMethodNotAllowed,
  replyNotFound,
  replyPreflight,
} from '../http/replies.ts'
import { IntakeRequest, type Responder } from '../intake/intake-request.ts'
import type { RequestHead } from '../intake/request-head.ts'
import type { IngestMetrics } from '../metrics.ts'
import { type HealthOptions, serveHealth } from './health-routes.ts'
import type { Uws } from './load-uws.ts'
import { quietTurn } from './quiet-turn.ts'
import { RequestHeaders } from './request-headers.ts'
import { answerNow, refuseAmbiguous, UwsResponder } from './uws-responder.ts'

export interface HttpServerOptions extends HealthOptions {
  readonly uws: Uws
  readonly metrics: IngestMetrics
  readonly trustsProxies: boolean
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
  /**
   * `shared`: other processes may listen on the same port, and the kernel distributes new
   * connections. Not the default, because a process that is started twice by accident would
   * silently receive half of the requests.
   */
  readonly access: 'exclusive' | 'shared'
}

export interface HttpServer {
  /** Resolves to the port; rejects when it is taken. */
  listen(at: ListenAddress): Promise<number>
  /** Open connections, busy or idle. They are still served after `stopListening`. */
  readonly connectionCount: number
  stopListening(): Promise<void>
  close(): void
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const app = options.uws.App()
  const intake = new IntakeRoutes(options)
  for (const endpoint of [envelopeEndpoint, storeEndpoint]) {
    for (const path of endpoint.paths.flatMap((end) => [end, `${end}/`])) {
      app.post(`/api/:project/${path}`, (res, req) => {
        intake.take(res, req, {
          endpoint,
          projectText: req.getParameter(0) ?? '',
          parameters: noParameters,
        })
      })
    }
  }
  serveHealth(app, options)
  app.any('/*', (res, req) => intake.takeAnyPath(res, req))
  return new UwsServer(options.uws, app)
}

/**
 * `LIBUS_LISTEN_DEFAULT` and `LIBUS_LISTEN_EXCLUSIVE_PORT`. The type declarations omit this form of
 * `listen`.
 */
const listenOptions = { shared: 0, exclusive: 1 } as const
interface ListenerWithOptions {
  listen(...args: unknown[]): unknown
}

/** A process that is never idle stops listening nevertheless. */
const acceptMsMax = 500

class UwsServer implements HttpServer {
  readonly #uws: Uws
  readonly #app: TemplatedApp
  #socket: us_listen_socket | undefined
  connectionCount = 0

  constructor(uws: Uws, app: TemplatedApp) {
    this.#uws = uws
    this.#app = app
    // biome-ignore lint/suspicious/useIterableCallbackReturn: not an array's filter; it hears of connections.
    app.filter((_res, change) => {
      this.connectionCount += Number(change)
    })
  }

  listen({ host, port, access }: ListenAddress): Promise<number> {
    return new Promise((resolve, reject) => {
      const app: ListenerWithOptions = this.#app
      app.listen(host, port, listenOptions[access], (socket: us_listen_socket | false) => {
        if (!socket) {
          reject(new Error(`cannot listen on ${host}:${port}: the port is taken or not allowed`))
          return
        }
        this.#socket = socket
        resolve(this.#uws.us_socket_local_port(socket))
      })
    })
  }

  /**
   * With its listening socket, the kernel resets the connections that wait to be accepted there. So
   * it is closed when none waits.
   */
  async stopListening(): Promise<void> {
    await quietTurn(acceptMsMax)
    this.#closeListener()
  }

  close(): void {
    this.#closeListener()
    this.#app.close()
  }

  #closeListener(): void {
    if (this.#socket !== undefined) this.#uws.us_listen_socket_close(this.#socket)
    this.#socket = undefined
  }
}

class IntakeRoutes {
  readonly #options: HttpServerOptions
  readonly #credentials = new CredentialCache()

  constructor(options: HttpServerOptions) {
    this.#options = options
  }

  take(res: HttpResponse, req: HttpRequest, target: Target): void {
    const responder = new UwsResponder(res, this.#options.metrics)
    try {
      const headers = new RequestHeaders(req)
      if (headers.isAmbiguous) {
        refuseAmbiguous(responder)
        return
      }
      const request = this.#begin(req, headers, target, responder)
      // The head alone was refused and the connection closed: the response must not be used any
      // more.
      if (responder.isOver) return
      responder.request = request
      res.onData((chunk, isLast) => {
        try {
          request.receive(Buffer.from(chunk), isLast)
        } catch (error) {
          this.#options.ctx.onError(error)
        }
      })
    } catch (error) {
      responder.respond(replyInternal, 'keep')
      this.#options.ctx.onError(error)
    }
  }

  #begin(
    req: HttpRequest,
    headers: RequestHeaders,
    target: Target,
    responder: Responder,
  ): IntakeRequest {
    const { endpoint, projectText, parameters } = target
    const query: string | undefined = req.getQuery()
    const { format } = endpoint
    const head: RequestHead = {
      format: typeof format === 'function' ? format(requestOf(req, query, parameters)) : format,
      projectText,
      credentials: this.#credentialsOf(headers, query, endpoint.keyOf?.(parameters)),
      encoding: bodyEncodingOf(headers.contentEncoding),
      contentLength: Number(headers.contentLength) || 0,
      forwardedFor: this.#options.trustsProxies ? headers.forwardedFor : '',
      origin: headers.origin,
    }
    return new IntakeRequest(this.#options.ctx, head, responder)
  }

  /** Handles every path that has no route of its own, for all methods. */
  takeAnyPath(res: HttpResponse, req: HttpRequest): void {
    const method = req.getMethod()
    const route = matchEndpoint(req.getUrl())
    const endpoint = route?.pattern
    if (route !== undefined && endpoint?.methods.some((each) => each === method)) {
      this.take(res, req, { ...route, endpoint })
      return
    }
    answerNow(res, req, this.#options, anyPathReply(method, endpoint))
  }

  #credentialsOf(
    headers: RequestHeaders,
    query: string | undefined,
    keyInPath: string | undefined,
  ): Credentials {
    if (keyInPath !== undefined) return credentialsOfKey(keyInPath)
    if (query !== undefined && query !== '') {
      const found = this.#credentials.ofQuery(query)
      if (found.kind !== 'none') return found
    }
    return this.#credentials.ofHeaders(headers)
  }
}

/** The endpoint and parameters of a request's path. */
interface Target {
  readonly endpoint: Endpoint
  readonly projectText: string
  /** Parameters of the path in the order of its pattern. */
  readonly parameters: readonly string[]
}

const noParameters: readonly string[] = []

function requestOf(
  req: HttpRequest,
  query: string | undefined,
  parameters: readonly string[],
): EndpointRequest {
  return { parameters, query: query ?? '', header: (name) => req.getHeader(name) }
}

function anyPathReply(method: string, endpoint: Endpoint | undefined): Reply {
  if (method === 'options') return replyPreflight
  return endpoint === undefined ? replyNotFound : replyMethodNotAllowed(endpoint.methods)
}
