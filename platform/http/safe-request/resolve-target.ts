/**
 * Resolves the host of a target once. All of its addresses must be acceptable: a name with a public
 * and a private address is refused, and the connection uses only addresses that were checked here,
 * so that a second answer of the DNS server changes nothing (DNS rebinding).
 */
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostOf, judgeAddresses, type TargetSettings } from './target-url.ts'

/** All addresses of a name, both families. Empty if there are none; rejects if DNS fails. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

export type ResolvedTarget =
  | { readonly kind: 'ok'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly rule: string }
  | { readonly kind: 'unresolved'; readonly reason: string }

/** Connections are tried to so many addresses of a name. All of them are checked. */
const addressesTriedMax = 4

export async function resolveTarget(
  url: URL,
  { resolve, settings }: { readonly resolve: ResolveHost; readonly settings: TargetSettings },
): Promise<ResolvedTarget> {
  const host = hostOf(url)
  let addresses: readonly string[]
  try {
    addresses = isIP(host) > 0 ? [host] : await resolve(host)
  } catch {
    return { kind: 'unresolved', reason: 'the name servers of the host do not answer' }
  }
  if (addresses.length === 0) return { kind: 'unresolved', reason: 'the host has no address' }
  const rule = judgeAddresses(url, addresses, settings)
  if (rule !== undefined) return { kind: 'refused', rule }
  return { kind: 'ok', addresses: addresses.slice(0, addressesTriedMax) }
}

const timeoutMs = 2_000
const triesMax = 2

/**
 * Asks the configured name servers without the thread pool of Node, which a slow name server would
 * block. The hosts file and search domains are used only if networks are allowed, as they name
 * hosts of the own network.
 * @param servers name servers instead of the configured ones.
 */
export function createHostResolver(
  { hasAllowed }: TargetSettings,
  servers?: readonly string[],
): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries: triesMax })
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length > 0) return addresses
    if (hasAllowed) return lookUpLocally(host)
    const failed = found.find((one) => one.status === 'rejected' && !isMissing(one.reason))
    if (failed?.status === 'rejected') throw failed.reason
    return []
  }
}

async function lookUpLocally(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (error) {
    if (isMissing(error as NodeJS.ErrnoException)) return []
    throw error
  }
}

const missingCodes: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND'])
const isMissing = (error: NodeJS.ErrnoException) => missingCodes.has(error.code)
