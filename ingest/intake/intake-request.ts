/**
 * One request from its first byte to its answer:
 *
 *   receiving → (waiting for a key, inflation or quota) → published → answered
 *        └──────────── discarding, with the answer known ──────────┘
 *
 * A body that arrives in one chunk and waits for nothing is appended to frames in the turn it
 * arrives and is copied once. Every other body is copied and its memory is counted.
 */
import { requestBytesMax } from '#schemas/limits.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { type BodyHolder, HeldBody } from '../body/held-body.ts'
import type { IngestContext } from '../context.ts'
import type { NotedIds } from '../dedup/released-ids.ts'
import {
  type Reply,
  replyBadProject,
  replyBodyTooLarge,
  replyBodyTooSlow,
  replyFailure,
  replyInternal,
  replyNotAcknowledged,
  replyOverloaded,
  replyUnknownEncoding,
} from '../http/replies.ts'
import { advance, type BodyRequest, type BodyWork } from './advance.ts'
import { countRefusedHead } from './count-rejected.ts'
import type { RequestHead } from './request-head.ts'

/** Answers the client. Never called twice, and never after the client has disconnected. */
export interface Responder {
  respond(reply: Reply, connection: 'keep' | 'close'): void
  /**
   * Client address from the TCP connection, 4 or 16 bytes. Not available after the client has
   * disconnected.
   */
  peerAddress(): Uint8Array
}

/**
 * Bytes that are read of a body whose answer is already known: a client that is cut off while it
 * sends does not see the answer.
 */
const discardedBytesMax = 2 * requestBytesMax

export class IntakeRequest implements BodyRequest, BodyHolder {
  readonly head: RequestHead
  readonly #ctx: IngestContext
  readonly #responder: Responder
  /** Only for bodies that cannot be finished in one turn. */
  #held: HeldBody | undefined
  #bytesReceived = 0
  /** The answer, when it is known before it may be sent. */
  #reply: Reply | undefined
  #isOver = false
  #holds = 0
  /**
   * Ids of the published events, which count as duplicates from the time the request is released.
   */
  #ids: NotedIds | undefined

  constructor(ctx: IngestContext, head: RequestHead, responder: Responder) {
    this.#ctx = ctx
    this.head = head
    this.#responder = responder
    const isFull = ctx.load.isFull
    ctx.load.begin()
    if (isFull) this.#reply = replyOverloaded
    else if (!/^\d{1,15}$/.test(head.projectText)) this.#reply = replyBadProject
    else if (head.encoding === undefined) this.#refuse(replyUnknownEncoding, 'bad_encoding')
    else if (requestBytesMax < head.contentLength) this.#refuse(replyBodyTooLarge, 'too_large')
    else if (head.credentials.kind === 'malformed') {
      this.#reply = replyFailure(400, 'malformed authorization information', [
        head.credentials.cause,
      ])
    }
    if (discardedBytesMax < head.contentLength) this.#answer(replyBodyTooLarge, 'close')
  }

  /** @param chunk valid only until this returns. */
  receive(chunk: Buffer, isLast: boolean): void {
    if (this.#isOver) return
    this.#bytesReceived += chunk.length
    if (this.#reply === undefined && requestBytesMax < this.#bytesReceived) {
      this.#refuse(replyBodyTooLarge, 'too_large')
    }
    if (this.#reply !== undefined) {
      if (isLast) this.#answer(this.#reply, 'keep')
      else if (discardedBytesMax < this.#bytesReceived) this.#answer(this.#reply, 'close')
      else this.#holdBody()
      return
    }
    if (isLast && this.#held === undefined) {
      this.#begin(chunk, chunk.buffer)
      return
    }
    const held = this.#holdBody()
    held.append(chunk)
    if (isLast) this.#begin(held.view(), undefined)
    else if (this.#ctx.load.isOverBytes) this.#refuseWith(replyOverloaded)
  }

  /** The client has disconnected, so nothing can be answered. Published records stay published. */
  abort(): void {
    this.#end()
  }

  hold(): void {
    this.#holds += 1
  }

  release(): void {
    this.#holds -= 1
    if (this.#holds > 0 || this.#reply === undefined) return
    if (this.#ids !== undefined) this.#ctx.releasedIds.add(this.#ids)
    this.answer(this.#reply)
  }

  expire(): void {
    this.answer(replyNotAcknowledged)
  }

  expireBody(): void {
    this.#answer(replyBodyTooSlow, 'close')
  }

  get isOver(): boolean {
    return this.#isOver
  }

  peerAddress(): Uint8Array {
    return this.#responder.peerAddress()
  }

  keep(bytes: Buffer, lent: ArrayBufferLike | undefined): Buffer {
    return this.#holdBody().keep(bytes, lent)
  }

  answer(reply: Reply): void {
    this.#answer(reply, 'keep')
  }

  published(reply: Reply, ids: NotedIds): void {
    this.#reply = reply
    this.#ids = ids
    this.#releaseBody()
  }

  /**
   * @param lent memory that contains the body and is valid in this turn only; undefined when the
   * body is ours.
   */
  #begin(body: Buffer, lent: ArrayBufferLike | undefined): void {
    const work = { request: this, nextStep: 0, bytes: body, lent, key: undefined, plan: undefined }
    try {
      const wait = advance(this.#ctx, work)
      if (wait === undefined) return
      const rest = this.#advanceAfter(wait, work)
      // There is no held body when the waiting step has answered already.
      void (this.#held?.during(rest) ?? rest)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Never rejects. */
  async #advanceAfter(first: Promise<void>, work: BodyWork): Promise<void> {
    try {
      let wait: Promise<void> | undefined = first
      while (wait !== undefined) {
        await wait
        wait = advance(this.#ctx, work)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Bad input is answered elsewhere: an exception here is an internal error. */
  #fail(error: unknown): void {
    this.answer(replyInternal)
    this.#ctx.onError(error)
  }

  /** Refuses a request before its body is read. The answer is sent when the body has been read. */
  #refuse(reply: Reply, reason: RejectReason): void {
    this.#refuseWith(reply)
    countRefusedHead(this.#ctx, this.head, reason)
  }

  #refuseWith(reply: Reply): void {
    this.#reply = reply
    this.#releaseBody()
  }

  #answer(reply: Reply, connection: 'keep' | 'close'): void {
    if (this.#isOver) return
    this.#end()
    const own = this.head.format.translate?.(reply) ?? reply
    this.#responder.respond(own, this.#ctx.load.isDraining ? 'close' : connection)
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#releaseBody()
    this.#ctx.load.end()
  }

  #holdBody(): HeldBody {
    this.#held ??= new HeldBody(this.#ctx.load, this.#ctx.clock, this)
    return this.#held
  }

  #releaseBody(): void {
    this.#held?.release()
    this.#held = undefined
  }
}
