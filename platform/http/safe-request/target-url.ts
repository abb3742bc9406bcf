/**
 * URLs that people type as targets of notifications. What can be told without DNS is checked here,
 * when a target is created; `resolveTarget` checks the addresses at each request.
 */
import { isIP } from 'node:net'
import { proxyList } from '../forwarded-address.ts'
import { canonicalAddress, refusedAddress } from './refused-address.ts'

export interface TargetSettings {
  /** Whether the address is in a network of WEBHOOK_ALLOWED_NETWORKS. */
  readonly isAllowed: (address: string) => boolean
  readonly hasAllowed: boolean
}

/** @param networks addresses and networks of WEBHOOK_ALLOWED_NETWORKS. */
export function targetSettings(networks: readonly string[]): TargetSettings {
  const matches = proxyList(networks)
  return {
    isAllowed: (address) => {
      const canonical = canonicalAddress(address)
      return canonical !== undefined && matches(canonical, 0)
    },
    hasAllowed: networks.length > 0,
  }
}

export type CheckedUrl =
  | { readonly kind: 'ok'; readonly url: URL }
  /** The rule begins with "must", so that it follows the name of a field. */
  | { readonly kind: 'refused'; readonly rule: string }

const urlCharactersMax = 2_000

/**
 * Checks scheme, host, port and credentials. A host that is an address must be public or allowed;
 * a name is resolved when a request is sent.
 */
export function checkTargetUrl(text: string, settings: TargetSettings): CheckedUrl {
  const url = text.length <= urlCharactersMax && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return refused(`must be a URL of at most ${urlCharactersMax} characters`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('must begin with https')
  if (url.username !== '' || url.password !== '') {
    return refused('must not contain a user name or password')
  }
  if (!isUsablePort(url)) return refused('must use port 80, 443 or one from 1024 to 65535')
  const host = hostOf(url)
  if (host === '' || host.includes('..')) return refused('must name a host')
  const addresses = isIP(host) > 0 ? [host] : isLocalhost(host) ? ['127.0.0.1'] : []
  const rule = judgeAddresses(url, addresses, settings)
  if (rule !== undefined) return refused(rule)
  if (url.protocol === 'http:' && !settings.hasAllowed) return refused(mustUseHttps)
  return { kind: 'ok', url }
}

/** The rule that one of the addresses breaks. */
export function judgeAddresses(
  url: URL,
  addresses: readonly string[],
  { isAllowed }: TargetSettings,
): string | undefined {
  for (const address of addresses) {
    if (isAllowed(address)) continue
    const kind = refusedAddress(address)
    if (kind !== undefined) {
      return `must lead to a public address, and this one is ${kind}; an operator can allow its network with WEBHOOK_ALLOWED_NETWORKS`
    }
    if (url.protocol === 'http:') return mustUseHttps
  }
  return undefined
}

/** Host name or address without brackets and without the dot that ends an absolute name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

const mustUseHttps = 'must use https; http is only for networks of WEBHOOK_ALLOWED_NETWORKS'

const refused = (rule: string): CheckedUrl => ({ kind: 'refused', rule })

const isLocalhost = (host: string) => /(?:^|\.)localhost$/i.test(host)

/** Privileged ports belong to services such as SMTP, which would read a request as commands. */
function isUsablePort({ port }: URL): boolean {
  return port === '' || port === '80' || port === '443' || 1_024 <= Number(port)
}
