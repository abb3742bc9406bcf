/**
 * Authenticates an access token: of the header `X-API-Key`, or of `Authorization: Bearer` at the
 * MCP endpoint. It is looked up on every request, so revoking it takes effect on the next one.
 * Malformed, unknown, revoked and expired tokens get the same reply.
 */
import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import type { ApiContext } from '../context.ts'
import { findAccessToken, touchAccessToken } from './access-token-store.ts'
import { hashSecret, secretPattern } from './secret.ts'

/** A program with an access token, or a person with a login and the scopes of their role. */
export interface Caller {
  readonly type: 'token' | 'person'
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly scopes: readonly AccessScope[]
  readonly lastUsedAt: Date | null
}

const touchEveryMs = 60_000

/** The value of `X-API-Key`; undefined if the request has none. */
export function apiKeyHeaderOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['x-api-key']
  return typeof header === 'string' ? header.trim() : undefined
}

export async function authenticate(value: string | undefined, ctx: ApiContext): Promise<Caller> {
  if (value === undefined || value === '') {
    throw new CodedError('missing_credentials', {
      message: 'Send an access token in the header X-API-Key.',
    })
  }
  if (!secretPattern.test(value)) throw new CodedError('invalid_credentials')
  const token = await findAccessToken(ctx.pg, hashSecret(value))
  if (token === undefined || token.revoked) throw new CodedError('invalid_credentials')
  const { id, organizationId, label, scopes, lastUsedAt, expiresAt } = token
  if (expiresAt !== null && expiresAt.getTime() <= ctx.clock.nowMs()) {
    throw new CodedError('invalid_credentials')
  }
  return { type: 'token', id, organizationId, label, scopes, lastUsedAt }
}

export function requireScope(caller: Caller, scope: AccessScope): void {
  if (caller.scopes.includes(scope)) return
  if (caller.type === 'person') throw new CodedError('missing_role')
  throw new CodedError('missing_scope', { message: `The access token lacks the scope ${scope}.` })
}

/** Stores the time of the last use, at most once per minute and token. */
export async function noteTokenUse(caller: Caller, ctx: ApiContext): Promise<void> {
  if (caller.type !== 'token') return
  const nowMs = ctx.clock.nowMs()
  if (caller.lastUsedAt !== null && nowMs - caller.lastUsedAt.getTime() < touchEveryMs) return
  try {
    await touchAccessToken(ctx.pg, caller.id, new Date(nowMs))
  } catch (error) {
    ctx.log.warn({ code: 'token_use_not_noted', err: error }, 'A token’s last use was not stored.')
  }
}
