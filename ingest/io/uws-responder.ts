/**
 * Answers a request over uWebSockets.js, at most once and never after its client has disconnected.
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import type { IngestContext } from '../context.ts'
import { type Reply, replyAmbiguousLength } from '../http/replies.ts'
import type { IntakeRequest, Responder } from '../intake/intake-request.ts'
import type { IngestMetrics } from '../metrics.ts'
import { RequestHeaders } from './request-headers.ts'

export class UwsResponder implements Responder {
  readonly #res: HttpResponse
  readonly #metrics: Pick<IngestMetrics, 'countReply'> | undefined
  #isOver = false
  /** The request to notify when the client disconnects. */
  request: IntakeRequest | undefined

  /**
   * Registers the abort handler before anything can fail: uWebSockets.js ends a process that has
   * none.
   * @param metrics counts the reply. Undefined: the reply is not counted.
   */
  constructor(res: HttpResponse, metrics: Pick<IngestMetrics, 'countReply'> | undefined) {
    this.#res = res
    this.#metrics = metrics
    res.onAborted(() => {
      this.#isOver = true
      this.request?.abort()
    })
  }

  /** The request was answered or aborted. */
  get isOver(): boolean {
    return this.#isOver
  }

  peerAddress(): Uint8Array {
    return new Uint8Array(this.#res.getRemoteAddress())
  }

  respond(reply: Reply, connection: 'keep' | 'close'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#metrics?.countReply(reply.status)
    const res = this.#res
    res.cork(() => {
      // The head contains the status and all headers: uWebSockets.js writes it unchanged.
      res.writeStatus(reply.head)
      res.end(reply.body, connection === 'close')
    })
  }
}

/** Answers without waiting for the body, which is discarded. */
export function answerNow(
  res: HttpResponse,
  req: HttpRequest,
  {
    ctx,
    metrics,
  }: { readonly ctx: IngestContext; readonly metrics?: Pick<IngestMetrics, 'countReply'> },
  reply: Reply,
): void {
  const responder = new UwsResponder(res, metrics)
  if (new RequestHeaders(req).isAmbiguous) refuseAmbiguous(responder)
  else responder.respond(reply, ctx.load.isDraining ? 'close' : 'keep')
}

/**
 * Answers after this turn of the event loop: until then uWebSockets.js closes the connection at the
 * next request on it, so the bytes behind the shorter of two lengths are never taken for a request.
 */
export function refuseAmbiguous(responder: UwsResponder): void {
  setImmediate(() => responder.respond(replyAmbiguousLength, 'close'))
}
