/**
 * One request from its first byte to its answer:
 *
 *   receiving → (waiting for a key, inflation or quota) → published → answered
 *        └──────────── discarding, with the answer known ──────────┘
 *
 * A body that comes in one piece, plain or small, with a known key, goes through to the frames in the turn
 * that brought it and is copied once. Everything else takes the longer way, with a copy of its own.
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

/** The way back to the client. Never called twice, and never after an abort. */
export interface Responder {
  respond(reply: Reply, connection: 'keep' | 'close'): void
  /** Of the connection: 4 or 16 bytes. Not to be asked for after an abort. */
  peerAddress(): Uint8Array
}

/** Of a body whose answer is known, so much is still read: a client that is cut off sees no answer. */
const discardedBytesMax = 2 * requestBytesMax

export class IntakeRequest implements BodyRequest, BodyHolder {
  readonly head: RequestHead
  readonly #ctx: IngestContext
  readonly #responder: Responder
  /** Only of those that cannot go through at once. */
  #held: HeldBody | undefined
  #bytesReceived = 0
  /** The answer, when it is known before the client may have it. */
  #reply: Reply | undefined
  #isOver = false
  #holds = 0
  /** Safe once the request is let go, so that their copies cost nothing then. */
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

  /** @param chunk is only ours until this returns. */
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

  /** The client is gone: nothing can be said to it any more. What was published stays published. */
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
    this.#forgetBody()
  }

  /** @param lent memory that the body lies in and that is valid for this turn only, if it is. */
  #begin(body: Buffer, lent: ArrayBufferLike | undefined): void {
    const work = { request: this, nextStep: 0, bytes: body, lent, key: undefined, plan: undefined }
    try {
      const wait = advance(this.#ctx, work)
      if (wait === undefined) return
      const rest = this.#advanceAfter(wait, work)
      // Undefined when the step that waits has answered already.
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

  /** Whatever a client sends has its answer elsewhere: what comes here is a mistake of ours. */
  #fail(error: unknown): void {
    this.answer(replyInternal)
    this.#ctx.onError(error)
  }

  /** Refused before the body was read; answered when the body is through. */
  #refuse(reply: Reply, reason: RejectReason): void {
    this.#refuseWith(reply)
    countRefusedHead(this.#ctx, this.head, reason)
  }

  #refuseWith(reply: Reply): void {
    this.#reply = reply
    this.#forgetBody()
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
    this.#forgetBody()
    this.#ctx.load.end()
  }

  #holdBody(): HeldBody {
    this.#held ??= new HeldBody(this.#ctx.load, this.#ctx.clock, this)
    return this.#held
  }

  #forgetBody(): void {
    this.#held?.forget()
    this.#held = undefined
  }
}
