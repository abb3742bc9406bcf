/**
 * One request from its first byte to its answer:
 *
 *   receiving → (waiting for a key or for inflation) → published → answered
 *        └──────────── discarding, with the answer known ──────────┘
 *
 * A body that comes in one piece, plain or small, with a known key, goes through to the frames in the turn
 * that brought it and is copied once. Everything else takes the longer way, with a copy of its own.
 */
import { envelopeBytesMax, requestBytesMax } from '#schemas/limits.ts'
import type { Category, RejectReason } from '#schemas/outcome.ts'
import { type Credentials, credentialsOfDsn } from '../auth/read-credentials.ts'
import type { BodyEncoding } from '../body/body-encoding.ts'
import { type BodyHolder, HeldBody } from '../body/held-body.ts'
import { type Inflated, inflateNow } from '../body/inflate.ts'
import type { IngestContext } from '../context.ts'
import { parseEnvelope, parseEnvelopeHeader } from '../envelope/parse-envelope.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import { clientAddress } from '../http/client-address.ts'
import {
  type Reply,
  replyBadProject,
  replyBodyTooLarge,
  replyBodyTooSlow,
  replyCorruptBody,
  replyFailure,
  replyInflatedTooLarge,
  replyInternal,
  replyNoCredentials,
  replyNotAcknowledged,
  replyOtherProject,
  replyOverloaded,
  replyUnknownEncoding,
} from '../http/replies.ts'
import type { DsnKey, KeyLookup } from '../keys/key-cache.ts'
import { decodeStore } from '../store/decode-store.ts'
import { admitKey } from './admit-key.ts'
import { appendPlan } from './append-plan.ts'
import { mayMeanAddress } from './may-mean-address.ts'
import {
  type IntakePlan,
  planEnvelope,
  planStore,
  refusedWhole,
  storeTooLarge,
} from './plan-intake.ts'

export interface RequestHead {
  readonly format: 'envelope' | 'store'
  readonly projectText: string
  readonly credentials: Credentials
  /** Undefined when the header named none that we know. */
  readonly encoding: BodyEncoding | undefined
  /** As declared; 0 when the body is chunked. */
  readonly contentLength: number
  /** `X-Forwarded-For`, where a proxy is trusted; else empty. */
  readonly forwardedFor: string
}

/** The way back to the client. Never called twice, and never after an abort. */
export interface Responder {
  respond(reply: Reply, connection: 'keep' | 'close'): void
  /** Of the connection: 4 or 16 bytes. Not to be asked for after an abort. */
  peerAddress(): Uint8Array
}

/** Of a body whose answer is known, so much is still read: a client that is cut off sees no answer. */
const discardedBytesMax = 2 * requestBytesMax

export class IntakeRequest implements FrameWaiter, BodyHolder {
  readonly #ctx: IngestContext
  readonly #head: RequestHead
  readonly #responder: Responder
  /** Only of those that cannot go through at once. */
  #held: HeldBody | undefined
  #bytesReceived = 0
  /** The answer, when it is known before the client may have it. */
  #reply: Reply | undefined
  #isOver = false
  #holds = 0

  constructor(ctx: IngestContext, head: RequestHead, responder: Responder) {
    this.#ctx = ctx
    this.#head = head
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
      this.#begin(chunk, 'borrowed')
      return
    }
    const held = this.#holdBody()
    held.append(chunk)
    if (isLast) this.#begin(held.view(), 'owned')
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
    if (this.#holds === 0 && this.#reply !== undefined) this.#answer(this.#reply, 'keep')
  }

  expire(): void {
    this.#answer(replyNotAcknowledged, 'keep')
  }

  expireBody(): void {
    this.#answer(replyBodyTooSlow, 'close')
  }

  #begin(body: Buffer, ownership: 'borrowed' | 'owned'): void {
    try {
      if (this.#takeNow(body)) return
    } catch (error) {
      this.#fail(error)
      return
    }
    const held = this.#holdBody()
    if (ownership === 'borrowed') held.reserve(body.length)
    const owned = ownership === 'borrowed' ? Buffer.from(body) : body
    void held.during(this.#takeLater(owned, held))
  }

  /** False when something must be waited for; nothing has been done then. */
  #takeNow(body: Buffer): boolean {
    const { credentials } = this.#head
    let key: DsnKey | undefined
    if (credentials.kind === 'key') {
      const lookup = this.#ctx.keys.peek(credentials.publicKey)
      if (lookup === undefined) return false
      key = this.#admit(lookup)
      if (key === undefined) return true
    }
    const plain = this.#plainNow(body)
    if (plain === undefined) return false
    if (!Buffer.isBuffer(plain)) {
      this.#refuseInflation(plain, key)
      return true
    }
    if (key === undefined) {
      const fromHeader = this.#credentialsInside(plain)
      if (fromHeader === undefined) return true
      const lookup = this.#ctx.keys.peek(fromHeader.publicKey)
      if (lookup === undefined) return false
      key = this.#admit(lookup)
      if (key === undefined) return true
    }
    this.#take(key, plain)
    return true
  }

  async #takeLater(body: Buffer, held: HeldBody): Promise<void> {
    try {
      await this.#takeInSteps(body, held)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Whatever a client sends has its answer elsewhere: what comes here is a mistake of ours. */
  #fail(error: unknown): void {
    this.#answer(replyInternal, 'keep')
    this.#ctx.onError(error)
  }

  async #takeInSteps(body: Buffer, held: HeldBody): Promise<void> {
    const { credentials } = this.#head
    let key: DsnKey | undefined
    if (credentials.kind === 'key') {
      key = this.#admit(await this.#lookUp(credentials.publicKey))
      if (key === undefined || this.#isOver) return
    }
    const plain = this.#plainNow(body) ?? (await this.#inflate(body, held))
    if (this.#isOver) return
    if (!Buffer.isBuffer(plain)) {
      this.#refuseInflation(plain, key)
      return
    }
    if (key === undefined) {
      const fromHeader = this.#credentialsInside(plain)
      if (fromHeader === undefined) return
      key = this.#admit(await this.#lookUp(fromHeader.publicKey))
      if (key === undefined || this.#isOver) return
    }
    this.#take(key, plain)
  }

  async #lookUp(publicKey: DsnKey['publicKey']): Promise<KeyLookup> {
    return this.#ctx.keys.peek(publicKey) ?? (await this.#ctx.keys.load(publicKey))
  }

  /** The key, or undefined when the request was answered. */
  #admit(lookup: KeyLookup): DsnKey | undefined {
    const admission = admitKey(lookup, this.#head.projectText)
    if (admission.kind === 'admitted') return admission.key
    this.#answer(admission.reply, 'keep')
    return undefined
  }

  #plainNow(body: Buffer): Inflated | undefined {
    const encoding = this.#head.encoding ?? 'identity'
    return encoding === 'identity' ? body : inflateNow(body, encoding, envelopeBytesMax)
  }

  async #inflate(body: Buffer, held: HeldBody): Promise<Inflated | 'overloaded'> {
    const { encoding } = this.#head
    if (encoding === undefined || encoding === 'identity') return body
    const isOver = () => this.#isOver
    const inflated = await this.#ctx.inflater.inflate(body, encoding, envelopeBytesMax, isOver)
    if (Buffer.isBuffer(inflated)) held.reserve(inflated.length)
    return inflated
  }

  /** Credentials in the envelope's own header, or undefined when the request was answered. */
  #credentialsInside(bytes: Buffer): Extract<Credentials, { kind: 'key' }> | undefined {
    const header = this.#head.format === 'envelope' ? parseEnvelopeHeader(bytes) : undefined
    const dsn = header === undefined || 'kind' in header ? undefined : header.dsn
    const credentials = credentialsOfDsn(dsn, this.#head.projectText)
    switch (credentials.kind) {
      case 'key':
        return credentials
      case 'other_project':
        this.#answer(replyOtherProject, 'keep')
        return undefined
      case 'none':
      case 'malformed':
        this.#answer(replyNoCredentials, 'keep')
        return undefined
    }
  }

  #take(key: DsnKey, bytes: Buffer): void {
    if (this.#ctx.courier.isFull) {
      this.#answer(replyOverloaded, 'keep')
      return
    }
    this.#ctx.keyUsage.touch(key.keyNo)
    if (this.#head.format === 'envelope') this.#takeEnvelope(key, bytes)
    else this.#takeStore(key, bytes)
  }

  #takeEnvelope(key: DsnKey, bytes: Buffer): void {
    const { credentials } = this.#head
    const isClientKnown = credentials.kind === 'key' && credentials.client !== ''
    const envelope = parseEnvelope(bytes, isClientKnown ? 'without sdk' : 'with sdk')
    if (envelope.kind === 'malformed') {
      const status = envelope.reason === 'too_many_items' ? 413 : 400
      this.#count(key, envelope.reason, 'unknown')
      this.#answer(replyFailure(status, envelope.detail, [envelope.cause]), 'keep')
      return
    }
    this.#publish(key, bytes, planEnvelope(envelope, bytes, this.#planContext(key)))
  }

  #takeStore(key: DsnKey, bytes: Buffer): void {
    const body = decodeStore(bytes)
    switch (body.kind) {
      case 'malformed':
        this.#count(key, 'invalid_json', 'error')
        this.#answer(replyFailure(400, 'invalid event', [body.cause]), 'keep')
        return
      case 'too_large':
        this.#count(key, 'too_large', 'error')
        this.#answer(storeTooLarge, 'keep')
        return
      case 'event':
        this.#publish(key, body.bytes, planStore(body, this.#planContext(key)))
    }
  }

  #planContext(key: DsnKey) {
    const { newEventId, unsupportedTypes } = this.#ctx
    return {
      newEventId,
      unsupportedReason: (type: string) => unsupportedTypes.reasonFor(key.projectId, type),
    }
  }

  #publish(key: DsnKey, bytes: Buffer, plan: IntakePlan): void {
    const { credentials, forwardedFor } = this.#head
    const client = credentials.kind === 'key' ? credentials.client : ''
    const address = mayMeanAddress(client, bytes)
      ? clientAddress(this.#responder.peerAddress(), forwardedFor, this.#ctx.trustedProxies)
      : undefined
    // Held until everything is appended, so that an early acknowledgement does not answer too soon.
    this.hold()
    appendPlan(this.#ctx, { key, client, address, bytes }, plan, this)
    this.#reply = plan.reply
    this.#forgetBody()
    this.release()
  }

  #refuseInflation(
    result: Exclude<Inflated, Buffer> | 'overloaded',
    key: DsnKey | undefined,
  ): void {
    if (result === 'overloaded') {
      this.#answer(replyOverloaded, 'keep')
      return
    }
    if (key !== undefined)
      this.#count(key, result === 'corrupt' ? 'bad_encoding' : result, 'unknown')
    this.#answer(result === 'corrupt' ? replyCorruptBody : replyInflatedTooLarge, 'keep')
  }

  /** Refused before the body was read: counted if the project is known, and answered when the body is through. */
  #refuse(reply: Reply, reason: RejectReason): void {
    this.#refuseWith(reply)
    const { credentials, projectText } = this.#head
    if (credentials.kind !== 'key') return
    const lookup = this.#ctx.keys.peek(credentials.publicKey)
    if (lookup === undefined) return
    const admission = admitKey(lookup, projectText)
    if (admission.kind === 'admitted') this.#count(admission.key, reason, 'unknown')
  }

  #refuseWith(reply: Reply): void {
    this.#reply = reply
    this.#forgetBody()
  }

  #count(key: DsnKey, reason: RejectReason, category: Category): void {
    this.#ctx.tally.add(key, [refusedWhole(reason, category)], undefined)
    this.#ctx.batcher.schedule()
  }

  #answer(reply: Reply, connection: 'keep' | 'close'): void {
    if (this.#isOver) return
    this.#end()
    this.#responder.respond(reply, this.#ctx.load.isDraining ? 'close' : connection)
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
