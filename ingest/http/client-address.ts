/**
 * Whose address stands behind a request. `X-Forwarded-For` is what anybody writes, so it is believed
 * only when the peer itself is a trusted proxy; then its left-most entry is the client.
 */
import { BlockList, isIP, isIPv4 } from 'node:net'

/** Addresses, or networks as `10.0.0.0/8`. Throws on anything else. */
export function trustedProxies(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    if (family === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) {
      throw new Error(`INGEST_TRUSTED_PROXIES: ${entry} is neither an IP address nor a network`)
    }
    const type = family === 4 ? 'ipv4' : 'ipv6'
    if (prefix === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(prefix), type)
  }
  return list
}

/** @param peer 4 or 16 bytes, as the socket gives them. */
export function clientAddress(
  peer: Uint8Array,
  forwardedFor: string,
  trusted: BlockList,
): Uint8Array {
  if (forwardedFor === '' || !isTrusted(peer, trusted)) return peer
  return parseAddress(forwardedFor.split(',', 1)[0]!.trim()) ?? peer
}

function isTrusted(peer: Uint8Array, trusted: BlockList): boolean {
  const v4 = peer.length === 4 ? peer : mappedV4(peer)
  if (v4 !== undefined) return trusted.check(v4.join('.'), 'ipv4')
  const groups: string[] = []
  for (let at = 0; at < 16; at += 2) groups.push(((peer[at]! << 8) | peer[at + 1]!).toString(16))
  return trusted.check(groups.join(':'), 'ipv6')
}

/** The IPv4 address inside `::ffff:a.b.c.d`, which a dual-stack socket reports. */
function mappedV4(peer: Uint8Array): Uint8Array | undefined {
  const isMapped =
    peer.length === 16 &&
    peer.subarray(0, 10).every((byte) => byte === 0) &&
    peer[10] === 0xff &&
    peer[11] === 0xff
  return isMapped ? peer.subarray(12) : undefined
}

/** 4 or 16 bytes; undefined when the text is no address. */
export function parseAddress(text: string): Uint8Array | undefined {
  const bare = text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  const family = isIP(bare)
  if (family === 4) return Uint8Array.from(bare.split('.').map(Number))
  return family === 6 ? parseV6(bare) : undefined
}

/** @param text has passed `isIP`. */
function parseV6(text: string): Uint8Array | undefined {
  const [head = '', tail] = text.split('%', 1)[0]!.split('::')
  const left = groupBytes(head)
  const right = tail === undefined ? [] : groupBytes(tail)
  const zeros = 16 - left.length - right.length
  if (zeros < 0) return undefined
  return Uint8Array.from([...left, ...new Array<number>(zeros).fill(0), ...right])
}

function groupBytes(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (isIPv4(group)) return group.split('.').map(Number)
    const bits = Number.parseInt(group, 16)
    return [bits >> 8, bits & 0xff]
  })
}
