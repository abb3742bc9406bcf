/**
 * What happens with a whole body: its key, inflation, parsing, the plan, units for its events, and records on their way.
 *
 * `takeNow` does all of it in the turn that brought the body, as long as everything it needs is in memory; else it
 * has done nothing, and `takeLater` begins anew with bytes that stay, waiting where it must.
 */
import { envelopeBytesMax } from '#schemas/limits.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { type Credentials, credentialsOfDsn } from '../auth/read-credentials.ts'
import { type Inflated, inflateNow } from '../body/inflate.ts'
import type { IngestContext } from '../context.ts'
import type { NotedIds } from '../dedup/released-ids.ts'
import { parseEnvelopeHeader } from '../envelope/parse-envelope.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import { clientAddress } from '../http/client-address.ts'
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
import { admitKey } from './admit-key.ts'
import { type AppendedPlan, appendPlan, countFresh } from './append-plan.ts'
import type { PlannedBody, RefusedBody, UnfinishedBody } from './body-format.ts'
import { saysWhatItIs } from './free-record-ids.ts'
import type { RequestHead } from './intake-request.ts'
import { mayMeanAddress } from './may-mean-address.ts'
import { countRejected } from './plan-body.ts'
import type { IntakePlan } from './plan-intake.ts'

/** The request as these steps see it. */
export interface BodyRequest extends FrameWaiter {
  readonly head: RequestHead
  /** It was answered, or its client has gone: nothing is to be done any more. */
  readonly isOver: boolean
  answer(reply: Reply): void
  /** Of the connection. Not to be asked for once the request is over. */
  peerAddress(): Uint8Array
  /** Everything stands in frames: this is the answer once they are safe, and the ids of the events in them. */
  published(reply: Reply, ids: NotedIds): void
}

/** False when something must be waited for; nothing has been done then. */
export function takeNow(ctx: IngestContext, request: BodyRequest, body: Buffer): boolean {
  const { credentials } = request.head
  let key: DsnKey | undefined
  if (credentials.kind === 'key') {
    const lookup = ctx.keys.peek(credentials.publicKey)
    if (lookup === undefined) return false
    key = admit(ctx, request, lookup)
    if (key === undefined) return true
  }
  const plain = plainNow(request, body)
  if (plain === undefined) return false
  if (!Buffer.isBuffer(plain)) {
    refuseInflation(ctx, request, plain, key)
    return true
  }
  if (key === undefined) {
    const fromHeader = credentialsInside(request, plain)
    if (fromHeader === undefined) return true
    const lookup = ctx.keys.peek(fromHeader.publicKey)
    if (lookup === undefined) return false
    key = admit(ctx, request, lookup)
    if (key === undefined) return true
  }
  const planned = plan(ctx, request, key, plain)
  if (planned === undefined) return true
  if (planned.kind === 'unfinished') return false
  if (unitsToWaitFor(ctx, key, planned.plan) > 0) return false
  publish(ctx, request, key, planned)
  return true
}

/** @param reserve counts bytes that the request holds. */
export async function takeLater(
  ctx: IngestContext,
  request: BodyRequest,
  body: Buffer,
  reserve: (bytes: number) => void,
): Promise<void> {
  const { credentials } = request.head
  let key: DsnKey | undefined
  if (credentials.kind === 'key') {
    key = admit(ctx, request, await lookUp(ctx, credentials.publicKey))
    if (key === undefined || request.isOver) return
  }
  const plain = plainNow(request, body) ?? (await inflate(ctx, request, body, reserve))
  if (request.isOver) return
  if (!Buffer.isBuffer(plain)) {
    refuseInflation(ctx, request, plain, key)
    return
  }
  if (key === undefined) {
    const fromHeader = credentialsInside(request, plain)
    if (fromHeader === undefined) return
    key = admit(ctx, request, await lookUp(ctx, fromHeader.publicKey))
    if (key === undefined || request.isOver) return
  }
  const begun = plan(ctx, request, key, plain)
  const planned =
    begun?.kind === 'unfinished' ? plannedOrAnswered(request, await begun.finish()) : begun
  if (planned === undefined || request.isOver) return
  const payer = key
  await ctx.quota.whenReady(payer, unitsToWaitFor(ctx, key, planned.plan), (end) => {
    if (request.isOver) return
    // The frames may have filled up meanwhile, and what is charged must find a place.
    if (end === 'full' || ctx.courier.isFull) request.answer(replyOverloaded)
    else publish(ctx, request, payer, planned)
  })
}

/** Refused before the body was read: counted if the project is known. */
export function countRefused(ctx: IngestContext, head: RequestHead, reason: RejectReason): void {
  const { credentials } = head
  if (credentials.kind !== 'key') return
  const lookup = ctx.keys.peek(credentials.publicKey)
  if (lookup === undefined) return
  const admission = admitKey(lookup, head)
  if (admission.kind === 'admitted') countRejected(ctx, admission.key, reason, 'unknown')
}

async function lookUp(ctx: IngestContext, publicKey: DsnKey['publicKey']): Promise<KeyLookup> {
  return ctx.keys.peek(publicKey) ?? (await ctx.keys.load(publicKey))
}

/** The key, or undefined when the request was answered. */
function admit(ctx: IngestContext, request: BodyRequest, lookup: KeyLookup): DsnKey | undefined {
  const admission = admitKey(lookup, request.head)
  if (admission.kind === 'admitted') return admission.key
  if (admission.kind === 'refused_origin') {
    countRejected(ctx, admission.key, 'origin_not_allowed', 'unknown')
  }
  request.answer(admission.reply)
  return undefined
}

function plainNow({ head }: BodyRequest, body: Buffer): Inflated | undefined {
  const encoding = head.encoding ?? 'identity'
  return encoding === 'identity' ? body : inflateNow(body, encoding, envelopeBytesMax)
}

async function inflate(
  ctx: IngestContext,
  request: BodyRequest,
  body: Buffer,
  reserve: (bytes: number) => void,
): Promise<Inflated | 'overloaded'> {
  const { encoding } = request.head
  if (encoding === undefined || encoding === 'identity') return body
  const isOver = () => request.isOver
  const inflated = await ctx.inflater.inflate(body, encoding, envelopeBytesMax, isOver)
  if (Buffer.isBuffer(inflated)) reserve(inflated.length)
  return inflated
}

/** Credentials in the envelope's own header, or undefined when the request was answered. */
function credentialsInside(
  request: BodyRequest,
  bytes: Buffer,
): Extract<Credentials, { kind: 'key' }> | undefined {
  const { format, projectText } = request.head
  const header = format.mayHoldDsn ? parseEnvelopeHeader(bytes) : undefined
  const dsn = header === undefined || 'kind' in header ? undefined : header.dsn
  const credentials = credentialsOfDsn(dsn, projectText)
  switch (credentials.kind) {
    case 'key':
      return credentials
    case 'other_project':
      request.answer(replyOtherProject)
      return undefined
    case 'none':
    case 'malformed':
      request.answer(replyNoCredentials)
      return undefined
  }
}

/** Undefined when the request was answered: what is refused as a whole meets no quota. */
function plan(
  ctx: IngestContext,
  request: BodyRequest,
  key: DsnKey,
  bytes: Buffer,
): PlannedBody | UnfinishedBody | undefined {
  if (ctx.courier.isFull) {
    request.answer(replyOverloaded)
    return undefined
  }
  ctx.keyUsage.touch(key.keyNo)
  const planned = request.head.format.plan(ctx, request.head, key, bytes)
  return planned.kind === 'unfinished' ? planned : plannedOrAnswered(request, planned)
}

function plannedOrAnswered(
  request: BodyRequest,
  planned: PlannedBody | RefusedBody,
): PlannedBody | undefined {
  if (planned.kind === 'planned') return planned
  request.answer(planned.reply)
  return undefined
}

/** 0 when the plan's events can be charged, or refused, at once. */
function unitsToWaitFor(ctx: IngestContext, key: DsnKey, { events }: IntakePlan): number {
  if (events.length === 0) return 0
  const nowMs = ctx.clock.nowMs()
  if (ctx.quota.isReady(key, events.length, nowMs)) return 0
  const fresh = countFresh(ctx, key.projectId, events)
  return fresh === 0 || ctx.quota.isReady(key, fresh, nowMs) ? 0 : fresh
}

function publish(
  ctx: IngestContext,
  request: BodyRequest,
  key: DsnKey,
  { plan, bytes }: PlannedBody,
): void {
  const { credentials, forwardedFor } = request.head
  const client = credentials.kind === 'key' ? credentials.client : ''
  const isAddressNeeded =
    mayMeanAddress(client, bytes) || (plan.freeItems.length > 0 && !saysWhatItIs(plan))
  const address = isAddressNeeded
    ? clientAddress(request.peerAddress(), forwardedFor, ctx.isTrustedProxy)
    : undefined
  const receivedAtMs = ctx.clock.nowMs()
  // Held until everything is appended, so that an early acknowledgement does not answer too soon.
  request.hold()
  const source = { key, client, address, bytes, receivedAtMs }
  const appended = appendPlan(ctx, source, plan, request)
  request.published(replyOf(ctx, key, plan, appended, receivedAtMs), appended.ids)
  request.release()
}

function replyOf(
  { quota }: IngestContext,
  key: DsnKey,
  { reply, replyPartly }: IntakePlan,
  { ids, refusal, refusedCount }: AppendedPlan,
  nowMs: number,
): Reply {
  if (refusal !== undefined) {
    const waitSeconds = quota.retryAfterSeconds(refusal, nowMs)
    return replyPartly?.(refusedCount) ?? replyRefused(refusal, waitSeconds)
  }
  // Whatever was charged says that no limit is met. Sessions and the like go on when one is, and their senders are told.
  if (ids.length > 0 || reply.status !== 200) return reply
  const next = quota.refusalOf(key, nowMs)
  return next === undefined
    ? reply
    : replyLimited(reply, next, quota.retryAfterSeconds(next, nowMs))
}

function refuseInflation(
  ctx: IngestContext,
  request: BodyRequest,
  result: Exclude<Inflated, Buffer> | 'overloaded',
  key: DsnKey | undefined,
): void {
  if (result === 'overloaded') {
    request.answer(replyOverloaded)
    return
  }
  if (key !== undefined)
    countRejected(ctx, key, result === 'corrupt' ? 'bad_encoding' : result, 'unknown')
  request.answer(result === 'corrupt' ? replyCorruptBody : replyInflatedTooLarge)
}
