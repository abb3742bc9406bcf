/**
 * `Idempotency-Key`: a repeated request runs once and gets the same reply again. The reply is
 * stored in the transaction of the work, and a lock of the transaction marks a running request. So
 * a failed or refused request releases the key, and only a completed one keeps it.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiKeyCaller } from '../../auth/api-key.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { invalidField } from '../validation/invalid-field.ts'
import { IdempotencyKey } from './idempotency-header.ts'
import {
  addIdempotentReply,
  deleteExpiredReplies,
  findIdempotentReply,
  lockIdempotencyKey,
} from './idempotency-store.ts'

const keptMs = 24 * 3_600_000
const runningRetrySeconds = 1
/** Expired replies, of any organization, that each new reply deletes. */
const sweptMax = 10

export type Done<Reply> =
  | { readonly kind: 'done'; readonly reply: Reply }
  /** `reply` is the reply to the first request. */
  | { readonly kind: 'replayed'; readonly reply: Reply }

export interface RepeatableCall {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: ApiKeyCaller
}

/**
 * Runs `work` in a transaction, at most once per key. Without the header it runs `work` directly.
 */
export async function doOnce<Reply extends object>(
  ctx: ApiContext,
  call: RepeatableCall,
  work: (pg: Database) => Promise<Reply>,
): Promise<Done<Reply>> {
  const { request, reply, caller } = call
  const key = readKey(request)
  if (key === undefined) return { kind: 'done', reply: await ctx.pg.transaction(work) }

  const now = new Date(ctx.clock.nowMs())
  const id = {
    apiKeyId: caller.id,
    keyHash: sha256(`${request.method} ${request.routeOptions.url} ${key}`),
  }
  const bodyHash = sha256(canonicalJson(request.body))
  return ctx.pg.transaction(async (pg): Promise<Done<Reply>> => {
    if (!(await lockIdempotencyKey(pg, id))) {
      reply.header('retry-after', runningRetrySeconds)
      throw new CodedError('idempotency_in_progress')
    }
    const since = new Date(now.getTime() - keptMs)
    const stored = await findIdempotentReply<Reply>(pg, { ...id, since })
    if (stored !== undefined) {
      if (!stored.bodyHash.equals(bodyHash)) throw new CodedError('idempotency_key_reused')
      reply.header('idempotent-replayed', 'true').code(stored.status)
      return { kind: 'replayed', reply: stored.reply }
    }
    const done = await work(pg)
    await deleteExpiredReplies(pg, { before: since, rowsMax: sweptMax })
    const { organizationId } = caller
    const status = reply.statusCode
    await addIdempotentReply(pg, { ...id, organizationId, bodyHash, status, reply: done, now })
    return { kind: 'done', reply: done }
  })
}

function readKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  const checked = IdempotencyKey.safeParse(key)
  // The schemas of the routes validate the header; this assertion finds a route without the schema.
  if (!checked.success) throw invalidField('Idempotency-Key', checked.error.issues[0]!.message)
  return checked.data
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The same hash for bodies that differ in the order of their fields only. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
