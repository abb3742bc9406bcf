/**
 * Whose address a request counts for. Fastify reads `X-Forwarded-For` as far as the declared proxies reach (`trustProxy`), and
 * with none declared not at all; this only makes one key of what it found, so that a household's IPv6 network counts once.
 */
import type { FastifyRequest } from 'fastify'
import { ipKey } from '#platform/ip-key.ts'

/** Hops from our side of `X-Forwarded-For`, or the proxies' addresses and networks; 0: nobody is believed. */
export type TrustedProxies = number | readonly string[]

/** As Fastify's option. `true` would believe the client itself, so it is never said. */
export function trustedBy(
  proxies: TrustedProxies,
): string[] | ((address: string, hop: number) => boolean) {
  if (typeof proxies !== 'number') return [...proxies]
  return (_address, hop) => hop < proxies
}

/** Some proxies write the client's port behind its address. */
const portBehindIpv4 = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/
const portBehindIpv6 = /^\[([^\]]+)\](?::\d{1,5})?$/

/** A header that names no address counts for the peer that sent it. */
export function clientAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const bare = request.ip.replace(portBehindIpv4, '$1').replace(portBehindIpv6, '$1')
  return ipKey(bare) ?? ipKey(request.socket.remoteAddress ?? '') ?? 'unknown'
}
