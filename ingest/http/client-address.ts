/** The client's address of a request as 4 or 16 bytes, which is how frames store it. */
import { isIP, isIPv4 } from 'node:net'
import {
  forwardedAddress,
  type IsTrustedProxy,
  readAddress,
} from '#platform/http/forwarded-address.ts'

/**
 * @param peer address of the TCP connection, 4 or 16 bytes.
 * @param forwardedFor `X-Forwarded-For`; empty when absent or when no proxy is trusted, and then
 * nothing is allocated.
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

/** 4 or 16 bytes; undefined when the text is not an address. */
export function parseAddress(text: string): Uint8Array | undefined {
  const bare = readAddress(text)
  if (bare === undefined) return undefined
  return isIP(bare) === 4 ? Uint8Array.from(bare.split('.').map(Number)) : parseV6(bare)
}

/** @param text must have passed `isIP`. */
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

const serverClients =
  /^sentry\.(javascript\.(node|bun|deno|nestjs|aws-serverless|google-cloud-serverless)|python|go|php|ruby|rust|elixir|perl)\b/
const auto = Buffer.from('{{auto}}')
/** Searching a larger body costs more than reading the address from the socket. */
const searchedBytesMax = 4096

/** Results by client name. Cleared when full. */
const known = new Map<string, boolean>()
const knownMax = 1024

/**
 * Whether an event may use the address of its connection as its user's. Browsers and phones always
 * do. A server SDK's address is that of a server, so its events use it only where they say
 * `{{auto}}`. Saves reading the address from the socket.
 */
export function mayMeanAddress(client: string, bytes: Buffer): boolean {
  if (!isServerClient(client) || bytes.length > searchedBytesMax) return true
  return bytes.indexOf(auto) >= 0
}

function isServerClient(client: string): boolean {
  let isServer = known.get(client)
  if (isServer === undefined) {
    isServer = serverClients.test(client)
    if (known.size >= knownMax) known.clear()
    known.set(client, isServer)
  }
  return isServer
}
