/** The client's address behind a request, as bytes: frames hold 4 or 16 of them. */
import { isIP, isIPv4 } from 'node:net'
import {
  forwardedAddress,
  type IsTrustedProxy,
  readAddress,
} from '#platform/http/forwarded-address.ts'

/**
 * @param peer address of the TCP connection, 4 or 16 bytes.
 * @param forwardedFor `X-Forwarded-For`; empty when there is none, or when no proxy is trusted: then nothing is allocated.
 */
export function clientAddress(
  peer: Uint8Array,
  forwardedFor: string,
  isTrusted: IsTrustedProxy,
): Uint8Array {
  if (forwardedFor === '') return peer
  const peerText = addressText(peer)
  const client = forwardedAddress(peerText, forwardedFor, isTrusted)
  return client === readAddress(peerText) ? peer : (parseAddress(client) ?? peer)
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups: string[] = []
  for (let at = 0; at < 16; at += 2) groups.push(((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return groups.join(':')
}

/** 4 or 16 bytes; undefined when the text is no address. */
export function parseAddress(text: string): Uint8Array | undefined {
  const bare = readAddress(text)
  if (bare === undefined) return undefined
  return isIP(bare) === 4 ? Uint8Array.from(bare.split('.').map(Number)) : parseV6(bare)
}

/** @param text has passed `isIP`. */
function parseV6(text: string): Uint8Array | undefined {
  const [head = '', tail] = text.split('::')
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
