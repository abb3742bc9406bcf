import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../context.ts'
import { backgroundOf } from '../http/background-work.ts'
import { clientIp } from '../http/client-address.ts'
import { type LoginClient, loginClientOf } from './login-attempts.ts'

/** The parts of an HTTP request that logging in needs. */
export interface LoginRequest {
  readonly ip: string
  readonly userAgent: string | null
  readonly client: LoginClient
  /** Runs work after the reply was sent, so that its duration tells the client nothing. */
  readonly afterReply: (name: string, work: () => Promise<void>) => void
}

export function loginRequestOf(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: Pick<ApiContext, 'trustedProxies'>,
): LoginRequest {
  return {
    ip: clientIp(request),
    userAgent: request.headers['user-agent'] ?? null,
    client: loginClientOf(request, ctx),
    afterReply: (name, work) => backgroundOf(reply).after(reply, name, work),
  }
}
