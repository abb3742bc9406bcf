/**
 * Which addresses strangers may not let us connect to: everything that the registries of
 * special-purpose addresses (RFC 6890, IANA) do not call globally reachable, metadata services of
 * clouds, and IPv6 addresses through which a translator or tunnel reaches such an IPv4 address.
 */
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

const ipv4Ranges = [
  ['0.0.0.0/8', 'of this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared (CGNAT)'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'a metadata service'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'for documentation'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'for benchmarks'],
  ['198.51.100.0/24', 'for documentation'],
  ['203.0.113.0/24', 'for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
] as const

/** The first match counts. */
const ipv6Ranges = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0:0/96', 'translated IPv4'],
  ['64:ff9b:1::/48', 'of a local translator'],
  ['100::/64', 'a discard address'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
  // Teredo (2001::/32), benchmarks, ORCHID and other assignments of protocols.
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'for documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'for documentation'],
] as const

/** Nothing outside of it is assigned to hosts of the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** NAT64 (RFC 6052) at its well-known prefix, which hosts without IPv4 need. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

const ipv4List = ipv4Ranges.map(([range, kind]) => [ipaddr.IPv4.parseCIDR(range), kind] as const)
const ipv6List = ipv6Ranges.map(([range, kind]) => [ipaddr.IPv6.parseCIDR(range), kind] as const)

/**
 * What the address is, such as `private`, if it is not a public one; undefined if it is public.
 * Text that is no address is `not an address`.
 */
export function refusedAddress(text: string): string | undefined {
  const address = readIp(text)
  if (address === undefined) return 'not an address'
  return address instanceof ipaddr.IPv4 ? refusedIpv4(address) : refusedIpv6(address)
}

/** The usual form of an address: without a zone, and as IPv4 if it is IPv4 inside IPv6. */
export function canonicalAddress(text: string): string | undefined {
  return readIp(text)?.toString()
}

/** Only forms that sockets accept: no octal, hexadecimal or short IPv4. */
function readIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = text.replace(/%.*/s, '')
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare)
  if (!isIPv6(bare)) return undefined
  // In hexadecimal, because ipaddr.js reads `::192.0.2.1` as if it were `::ffff:192.0.2.1`.
  const address = ipaddr.IPv6.parse(new URL(`http://[${bare}]`).hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

function refusedIpv4(address: ipaddr.IPv4): string | undefined {
  return ipv4List.find(([range]) => address.match(range))?.[1]
}

function refusedIpv6(address: ipaddr.IPv6): string | undefined {
  if (address.match(nat64)) return refusedIpv4(lastIpv4(address))
  const known = ipv6List.find(([range]) => address.match(range))?.[1]
  if (known !== undefined) return known
  if (!address.match(globalUnicast)) return 'reserved'
  return isIsatap(address) ? refusedIpv4(lastIpv4(address)) : undefined
}

/** ISATAP (RFC 5214) has the IPv4 address of the host in an interface id of this form. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}

function lastIpv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}
