/**
 * Who calls the email API: the key of `Authorization: Bearer emk_…`. It is looked up on every request, so that revoking it works on
 * the next one. Malformed, unknown, revoked and expired keys get one answer.
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
/** RFC 6750 §2.1, with RFC 9110's freedom in the scheme's case and the spaces behind it. */
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
  // The reply does not wait for it.
  void noteUse(key, now, ctx)
  return { id: key.id, organizationId: key.organizationId }
}

/** At most once a minute for each key: people want to know which ones are still in use. */
async function noteUse(key: StoredApiKey, now: Date, ctx: ApiContext): Promise<void> {
  if (key.lastUsedAt !== null && now.getTime() - key.lastUsedAt.getTime() < touchEveryMs) return
  try {
    await touchApiKey(ctx.pg, key.id, now)
  } catch (error) {
    ctx.log.warn({ code: 'key_use_not_noted', err: error }, 'An API key’s last use was not stored.')
  }
}
