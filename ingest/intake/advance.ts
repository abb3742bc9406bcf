/**
 * The steps of a request whose body is complete:
 *
 *   key from the head ──▶ inflate ──▶ key from the envelope ──▶ plan ──▶ charge, append to frames
 *
 * A step whose data is in memory is done when it returns. A step that must wait (for Postgres, the
 * thread pool, quota, or the event loop) returns a promise, and is done when the promise resolves.
 * A request that waits for nothing is done in the turn that brought its body, with no promise and
 * no copy of the body.
 */
import assert from 'node:assert'
import type { PublicKey } from '#schemas/ids.ts'
import { envelopeBytesMax } from '#schemas/limits.ts'
import { admitKey } from '../auth/admit-key.ts'
import { credentialsOfDsn } from '../auth/read-credentials.ts'
import { type Inflated, inflateNow } from '../body/inflate.ts'
import type { IngestContext } from '../context.ts'
import type { NotedIds } from '../dedup/released-ids.ts'
import { parseEnvelopeHeader } from '../envelope/parse-envelope.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import { clientAddress, mayMeanAddress } from '../http/client-address.ts'
import {
  type Reply,
  replyCorruptBody,
  replyInflatedTooLarge,
  replyNoCredentials,
  replyOtherProject,
  replyOverloaded,
} from '../http/replies.ts'
import { replyLimited, replyRefused } from '../http/reply-refused.ts'
import type { DsnKey, KeyLookup } from '../keys/key-cache.ts'
import {
  type AppendedPlan,
  appendPlan,
  countFresh,
  overQuotaFiles,
} from '../records/append-plan.ts'
import { saysWhatItIs } from '../records/free-record-ids.ts'
import type { IntakePlan, PlannedBody, RefusedBody } from './body-format.ts'
import { countRejected } from './count-rejected.ts'
import { rejectedOne } from './rejected-one.ts'
import type { RequestHead } from './request-head.ts'

/** The request as the steps see it. */
export interface BodyRequest extends FrameWaiter {
  readonly head: RequestHead
  /** The request was answered, or its client has disconnected: no step may run. */
  readonly isOver: boolean
  answer(reply: Reply): void
  /**
   * Client address from the TCP connection, 4 or 16 bytes. Must not be called once the request is
   * over.
   */
  peerAddress(): Uint8Array
  /**
   * Returns bytes that outlast this turn, and counts their memory. Bytes that lie in `lent` are
   * copied.
   */
  keep(bytes: Buffer, lent: ArrayBufferLike | undefined): Buffer
  /**
   * All records are in frames. `reply` and the ids of the events take effect once the frames are
   * durable.
   */
  published(reply: Reply, ids: NotedIds): void
}

/** A complete body between two steps. */
export interface BodyWork {
  readonly request: BodyRequest
  /** Index in `steps`. */
  nextStep: number
  /**
   * The body as received; inflated after that step; the bytes that the plan refers to after
   * planning.
   */
  bytes: Buffer
  /**
   * Memory of the HTTP server that is valid in this turn only. `bytes` may lie in it until the
   * first wait.
   */
  readonly lent: ArrayBufferLike | undefined
  key: DsnKey | undefined
  plan: IntakePlan | undefined
}

type Step = (ctx: IngestContext, work: BodyWork) => Promise<void> | undefined

const steps: readonly Step[] = [
  authenticateByHead,
  inflateBody,
  authenticateByEnvelope,
  planBody,
  keepAttachments,
  publishPlan,
]

/**
 * Runs steps until the request is answered or published, and returns undefined; or until a step
 * must wait, and returns its promise. Call again with the same work once the promise has resolved.
 */
export function advance(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  while (work.nextStep < steps.length && !work.request.isOver) {
    const step = steps[work.nextStep]!
    work.nextStep += 1
    const wait = step(ctx, work)
    if (wait !== undefined) return wait
  }
  return undefined
}

function keep(work: BodyWork): void {
  work.bytes = work.request.keep(work.bytes, work.lent)
}

function authenticateByHead(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  const { credentials } = work.request.head
  return credentials.kind === 'key' ? authenticate(ctx, work, credentials.publicKey) : undefined
}

/** Only for bodies whose head named no key. */
function authenticateByEnvelope(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  if (work.key !== undefined) return undefined
  const { format, projectText } = work.request.head
  const header = format.mayHoldDsn ? parseEnvelopeHeader(work.bytes) : undefined
  const dsn = header === undefined || 'kind' in header ? undefined : header.dsn
  const credentials = credentialsOfDsn(dsn, projectText)
  switch (credentials.kind) {
    case 'key':
      return authenticate(ctx, work, credentials.publicKey)
    case 'other_project':
      work.request.answer(replyOtherProject)
      return undefined
    case 'none':
    case 'malformed':
      work.request.answer(replyNoCredentials)
      return undefined
  }
}

function authenticate(
  ctx: IngestContext,
  work: BodyWork,
  publicKey: PublicKey,
): Promise<void> | undefined {
  const known = ctx.keys.peek(publicKey)
  if (known === undefined) {
    keep(work)
    return ctx.keys.load(publicKey).then((lookup) => admit(ctx, work, lookup))
  }
  admit(ctx, work, known)
  return undefined
}

function admit(ctx: IngestContext, work: BodyWork, lookup: KeyLookup): void {
  const admission = admitKey(lookup, work.request.head)
  if (admission.kind === 'admitted') {
    work.key = admission.key
    return
  }
  if (admission.kind === 'refused_origin') {
    const sender = { key: admission.key, client: clientOf(work.request.head) }
    countRejected(ctx, sender, 'origin_not_allowed', 'unknown')
  }
  work.request.answer(admission.reply)
}

function inflateBody(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  const { request } = work
  const { encoding } = request.head
  if (encoding === undefined || encoding === 'identity') return undefined
  const inflated = inflateNow(work.bytes, encoding, envelopeBytesMax)
  if (inflated === undefined) {
    keep(work)
    const isOver = () => request.isOver
    return ctx.inflater
      .inflate(work.bytes, encoding, envelopeBytesMax, isOver)
      .then((result) => takeInflated(ctx, work, result))
  }
  takeInflated(ctx, work, inflated)
  return undefined
}

function takeInflated(ctx: IngestContext, work: BodyWork, result: Inflated | 'overloaded'): void {
  const { request, key } = work
  if (request.isOver) return
  if (Buffer.isBuffer(result)) {
    work.bytes = result
  } else if (result === 'overloaded') {
    request.answer(replyOverloaded)
  } else {
    const reason = result === 'corrupt' ? 'bad_encoding' : result
    const sender = key && { key, client: clientOf(request.head) }
    if (sender !== undefined) countRejected(ctx, sender, reason, 'unknown')
    request.answer(result === 'corrupt' ? replyCorruptBody : replyInflatedTooLarge)
  }
}

function planBody(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  const { request, key } = work
  assert(key !== undefined)
  if (refusesWhenFull(ctx, request)) return undefined
  ctx.keyUsage.touch(key.keyNo)
  const { format } = request.head
  const body = format.plan(ctx, { key, client: clientOf(request.head) }, work.bytes)
  if (body.kind === 'unfinished') {
    keep(work)
    return body.finish(work.bytes).then((finished) => {
      takePlanned(work, finished)
      refusesWhenFull(ctx, request)
    })
  }
  takePlanned(work, body)
  return undefined
}

function takePlanned(work: BodyWork, body: PlannedBody | RefusedBody): void {
  if (body.kind === 'refused') {
    work.request.answer(body.reply)
    return
  }
  work.plan = body.plan
  work.bytes = body.bytes
}

/** Files are in the object store before their records are written. */
function keepAttachments(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  const { plan, key } = work
  const attachments = plan?.attachments
  if (plan === undefined || key === undefined || attachments === undefined) return undefined
  keep(work)
  // A file whose event is refused is not wanted.
  const refusal = plan.events.length > 0 && ctx.quota.refusalOf(key, ctx.clock.nowMs())
  if (refusal) {
    work.plan = { ...plan, outcomes: [...plan.outcomes, overQuotaFiles(refusal, attachments)] }
    return undefined
  }
  if (ctx.attachments === undefined) {
    const outcomes = attachments.map(() => rejectedOne('storage_unavailable', 'attachment'))
    work.plan = { ...plan, outcomes: [...plan.outcomes, ...outcomes] }
    return undefined
  }
  return ctx.attachments.keep(key, work.bytes, attachments).then(({ kept, outcomes }) => {
    const all = [...plan.outcomes, ...outcomes]
    work.plan = { ...plan, outcomes: all, keptAttachments: kept }
  })
}

/** Checked before anything is charged: a charged event must have room in a frame. */
function refusesWhenFull({ courier }: IngestContext, request: BodyRequest): boolean {
  if (!courier.isFull) return false
  request.answer(replyOverloaded)
  return true
}

/**
 * Publishes now, or in the turn that brings the units of quota, before another request can take
 * them.
 */
function publishPlan(ctx: IngestContext, work: BodyWork): Promise<void> | undefined {
  const { request, key, plan } = work
  assert(key !== undefined)
  assert(plan !== undefined)
  const eventCount = countWaiting(ctx, key, plan)
  if (eventCount > 0) {
    keep(work)
    return ctx.quota.whenReady(key, eventCount, (end) => {
      if (request.isOver) return
      if (end === 'full') request.answer(replyOverloaded)
      else if (!refusesWhenFull(ctx, request)) publish(ctx, work, key, plan)
    })
  }
  publish(ctx, work, key, plan)
  return undefined
}

/**
 * Events that need units of quota which are not in memory; 0 when all can be charged or refused
 * now.
 */
function countWaiting(ctx: IngestContext, key: DsnKey, { events }: IntakePlan): number {
  if (events.length === 0) return 0
  const nowMs = ctx.clock.nowMs()
  if (ctx.quota.isReady(key, events.length, nowMs)) return 0
  const fresh = countFresh(ctx, key.projectId, events)
  return fresh === 0 || ctx.quota.isReady(key, fresh, nowMs) ? 0 : fresh
}

function publish(
  ctx: IngestContext,
  { request, bytes }: BodyWork,
  key: DsnKey,
  plan: IntakePlan,
): void {
  const client = clientOf(request.head)
  const isAddressNeeded =
    mayMeanAddress(client, bytes) || (plan.freeItems.length > 0 && !saysWhatItIs(plan))
  const address = isAddressNeeded
    ? clientAddress(request.peerAddress(), request.head.forwardedFor, ctx.isTrustedProxy)
    : undefined
  const receivedAtMs = ctx.clock.nowMs()
  // Held until everything is appended, so that an early acknowledgement does not answer too soon.
  request.hold()
  const source = { key, client, address, bytes, receivedAtMs }
  const appended = appendPlan(ctx, source, plan, request)
  request.published(replyOf(ctx, key, plan, appended, receivedAtMs), appended.ids)
  request.release()
}

function clientOf({ credentials }: RequestHead): string {
  return credentials.kind === 'key' ? credentials.client : ''
}

function replyOf(
  { quota }: IngestContext,
  key: DsnKey,
  { reply, replyPartly }: IntakePlan,
  { ids, refusal, refusedCount }: AppendedPlan,
  nowMs: number,
): Reply {
  // mutant: reply-over-quota
  if (refusal !== undefined) {
    const waitSeconds = quota.retryAfterSeconds(refusal, nowMs)
    return replyPartly?.(refusedCount) ?? replyRefused(refusal, waitSeconds)
  }
  // A charged event proves that no limit is met. Without one, senders of free items learn of a met
  // limit by a header.
  if (ids.length > 0 || reply.status !== 200) return reply
  const next = quota.refusalOf(key, nowMs)
  return next === undefined
    ? reply
    : replyLimited(reply, next, quota.retryAfterSeconds(next, nowMs))
}
