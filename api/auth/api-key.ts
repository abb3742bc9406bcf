/**
 * Authenticates the API key in `Authorization: Bearer emk_…`. It is looked up on every request, so
 * revoking it takes effect on the next one. Malformed, unknown, revoked and expired keys get the
 * same reply.
 */
import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { findApiKey, type StoredApiKey, touchApiKey } from './api-key-store.ts'
import { hashSecret, secretPattern } from './secret.ts'

export interface ApiKeyCaller {
  readonly id: string
  readonly organizationId: string
}

const touchEveryMs = 60_000
/**
 * RFC 6750 §2.1. As in RFC 9110, the scheme is case-insensitive and several spaces may follow it.
 */
const bearerPattern = /^bearer +(\S+)\s*$/i

export async function authenticateApiKey(
  request: FastifyRequest,
  ctx: ApiContext,
): Promise<ApiKeyCaller> {
  const { authorization } = request.headers
  if (authorization === undefined || authorization.trim() === '')
    throw new CodedError('missing_key')
  const value = bearerPattern.exec(authorization)?.[1] ?? ''
  if (!value.startsWith('emk_') || !secretPattern.test(value)) throw new CodedError('invalid_key')
  const now = new Date(ctx.clock.nowMs())
  const key = await findApiKey(ctx.pg, { hash: hashSecret(value), now })
  if (key === undefined) throw new CodedError('invalid_key')
  // The reply does not wait for this query.
  void noteUse(key, now, ctx)
  return { id: key.id, organizationId: key.organizationId }
}

/** Stores the time of the last use, at most once per minute and key. */
async function noteUse(key: StoredApiKey, now: Date, ctx: ApiContext): Promise<void> {
  if (key.lastUsedAt !== null && now.getTime() - key.lastUsedAt.getTime() < touchEveryMs) return
  try {
    await touchApiKey(ctx.pg, key.id, now)
  } catch (error) {
    ctx.log.warn({ code: 'key_use_not_noted', err: error }, 'An API key’s last use was not stored.')
  }
}
