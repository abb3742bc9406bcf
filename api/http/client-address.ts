/**
 * The client address of a request. Fastify reads `X-Forwarded-For` from the right with the same
 * `IsTrustedProxy` as ingest (`forwardedAddress`). Without declared proxies the header is ignored.
 */
import type { FastifyRequest } from 'fastify'
import {
  type IsTrustedProxy,
  proxyList,
  readAddress,
  trustedHopsMax,
} from '#platform/http/forwarded-address.ts'
import { ipKey } from '#platform/http/ip-key.ts'

/** The number of trusted hops of `X-Forwarded-For`, or the trusted addresses and networks. */
export type TrustedProxies = number | readonly string[]

/** The `trustProxy` option of Fastify. `true` would trust the client itself, so it is not used. */
export function trustedBy(proxies: TrustedProxies): IsTrustedProxy {
  const isListed =
    typeof proxies === 'number'
      ? (_address: string, hop: number) => hop < proxies
      : proxyList(proxies)
  // A closed connection has no address.
  return (text: string | undefined, hop) => {
    const address = readAddress(text ?? '')
    return address !== undefined && hop < trustedHopsMax && isListed(address, hop)
  }
}

type AddressedRequest = Pick<FastifyRequest, 'ip' | 'ips' | 'socket'>

/**
 * The address for logs and records. Fastify stops at an entry that is not an address, which is then
 * the last of `ips`; the proxy that forwarded it is before it.
 */
export function clientIp({ ip, ips = [ip], socket }: AddressedRequest): string {
  const read = readAddress(ips.at(-1) ?? '') ?? readAddress(ips.at(-2) ?? '')
  return read ?? readAddress(socket.remoteAddress ?? '') ?? 'unknown'
}

/** The key for rate limits: the IPv4 address, or the /64 network of an IPv6 address. */
export function clientAddress(request: AddressedRequest): string {
  return ipKey(clientIp(request)) ?? 'unknown'
}
