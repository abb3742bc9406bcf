import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Longer than any address with its zone. */
const charactersMax = 100

/**
 * Whom an address counts as: an IPv6 network of 64 bits is one household or one server, an IPv4
 * address inside IPv6 (RFC 4291 §2.5.5.2) is the IPv4 address. Undefined: the text is no address.
 */
export function ipKey(text: string): string | undefined {
  if (charactersMax < text.length) return undefined
  if (isIPv4(text)) return text
  if (!isIPv6(text)) return undefined
  const address = ipaddr.IPv6.parse(text.replace(/%.*/s, ''))
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  const network = address.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
