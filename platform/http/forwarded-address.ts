/**
 * Finds the client's address behind trusted proxies. Each proxy appends the address of its peer to
 * `X-Forwarded-For`, so the header is read from the right: the first address that is not a trusted
 * proxy is the client. Entries further left are sent by the client and cannot be trusted.
 */
import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** @param hop 0 for the TCP peer, 1 for the right-most entry of the header, and so on. */
export type IsTrustedProxy = (address: string, hop: number) => boolean

/** Longer than any address, such as `[ffff:…:255.255.255.255%zone]:65535`. */
const entryCharactersMax = 100
/** More trusted proxies than any real request passes through. */
export const trustedHopsMax = 32

/**
 * @param peer address of the TCP connection.
 * @param forwardedFor all `X-Forwarded-For` lines in their order, joined with commas.
 * @returns the right-most address that is not a trusted proxy, or the left-most address if all are
 * trusted. At an entry that is not an address (`unknown`, a name, too long), the search ends with
 * the address to its right, which is the trusted proxy that forwarded it. Empty entries are skipped
 * (RFC 9110 §5.6.1.2).
 */
export function forwardedAddress(
  peer: string,
  forwardedFor: string,
  isTrusted: IsTrustedProxy,
): string {
  const own = readAddress(peer)
  if (own === undefined) return peer
  let address = own
  let end = forwardedFor.length
  for (let hop = 0; hop < trustedHopsMax && isTrusted(address, hop); hop += 1) {
    let entry = ''
    while (entry === '' && 0 < end) {
      const comma = forwardedFor.lastIndexOf(',', end - 1)
      entry = forwardedFor.slice(comma + 1, end).trim()
      end = comma
    }
    const next = readAddress(entry)
    if (next === undefined) break
    address = next
  }
  return address
}

const portBehindIpv4 = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/
const bracketsAroundIpv6 = /^\[([^\]]+)\](?::\d{1,5})?$/

/**
 * An address without port, brackets and zone. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`)
 * becomes IPv4. Undefined if the text is not an address.
 */
export function readAddress(text: string): string | undefined {
  if (entryCharactersMax < text.length) return undefined
  if (isIPv4(text)) return text
  const bare = text.replace(portBehindIpv4, '$1').replace(bracketsAroundIpv6, '$1')
  const family = isIP(bare)
  if (family === 0) return undefined
  if (family === 4) return bare
  const withoutZone = bare.split('%', 1)[0]!
  const address = ipaddr.IPv6.parse(withoutZone)
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : withoutZone
}

/** Matches addresses, and networks such as `10.0.0.0/8`. Throws on anything else. */
export function proxyList(entries: readonly string[]): IsTrustedProxy {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix, ...rest] = entry.split('/')
    const bits = isIPv4(address) ? 32 : 128
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
    if (isIP(address) === 0 || !isPrefix || 0 < rest.length) {
      throw new Error(`${entry} is neither an IP address nor a network`)
    }
    addTo(list, address, prefix)
  }
  return (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/**
 * `readAddress` turns IPv4 inside IPv6 into IPv4, so an IPv4 network inside IPv6 is added as IPv4.
 */
function addTo(list: BlockList, address: string, prefix: string | undefined): void {
  const bare = readAddress(address)!
  const isMapped = isIPv4(bare) && !isIPv4(address)
  const bits = prefix === undefined ? undefined : Number(prefix) - (isMapped ? mappedBits : 0)
  const type = isIPv4(bare) ? 'ipv4' : 'ipv6'
  if (bits === undefined) list.addAddress(bare, type)
  else if (bits < 0) throw new Error(`${address}/${prefix}: write the IPv4 network instead`)
  else list.addSubnet(bare, bits, type)
}

/** Bits before the IPv4 address in `::ffff:0:0/96`. */
const mappedBits = 96
