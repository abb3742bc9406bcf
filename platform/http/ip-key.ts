import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Longer than any address with its zone. */
const charactersMax = 100

/**
 * The key under which limits count an address. An IPv6 address counts as its /64 network, which
 * usually is one household or server; an IPv4 address inside IPv6 (RFC 4291 §2.5.5.2) counts as
 * IPv4. Undefined if the text is not an address.
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
