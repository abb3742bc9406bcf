import type { FastifyRequest } from 'fastify'
import { clientIp } from '../http/client-address.ts'

const userAgentCharactersMax = 300

/** Who opened a page or posted its form, as the contact's events record it. */
export interface Visitor {
  readonly ip: string
  readonly userAgent: string | null
}

export function visitorOf(request: FastifyRequest): Visitor {
  const agent = request.headers['user-agent']?.slice(0, userAgentCharactersMax)
  return { ip: clientIp(request), userAgent: agent ?? null }
}
