/**
 * The client's address behind a request. Fastify walks `X-Forwarded-For` from the right with the same `IsTrustedProxy` as ingest
 * (`forwardedAddress`); with no declared proxy the header is ignored.
 */
import type { FastifyRequest } from 'fastify'
import {
  type IsTrustedProxy,
  proxyList,
  readAddress,
  trustedHopsMax,
} from '#platform/http/forwarded-address.ts'
import { ipKey } from '#platform/http/ip-key.ts'

/** Hops from our side of `X-Forwarded-For`, or the proxies' addresses and networks; 0: nobody is believed. */
export type TrustedProxies = number | readonly string[]

/** As Fastify's option. `true` would believe the client itself, so it is never said. */
export function trustedBy(proxies: TrustedProxies): IsTrustedProxy {
  const isListed =
    typeof proxies === 'number'
      ? (_address: string, hop: number) => hop < proxies
      : proxyList(proxies)
  // A connection that has ended has no address.
  return (text: string | undefined, hop) => {
    const address = readAddress(text ?? '')
    return address !== undefined && hop < trustedHopsMax && isListed(address, hop)
  }
}

type AddressedRequest = Pick<FastifyRequest, 'ip' | 'ips' | 'socket'>

/**
 * The address, for logs and records. An entry that is no address ends Fastify's walk and is the last of `ips`; the proxy that
 * forwarded it stands before it.
 */
export function clientIp({ ip, ips = [ip], socket }: AddressedRequest): string {
  const read = readAddress(ips.at(-1) ?? '') ?? readAddress(ips.at(-2) ?? '')
  return read ?? readAddress(socket.remoteAddress ?? '') ?? 'unknown'
}

/** One key for limits, in which an IPv6 network of 64 bits counts once. */
export function clientAddress(request: AddressedRequest): string {
  return ipKey(clientIp(request)) ?? 'unknown'
}
