/**
 * Marks opens and clicks of machines: scanners follow every link before the email is read, and
 * proxies load every image. A hit is marked when its user agent names a machine, when it comes too
 * soon after the email was sent, when its contact has followed three different links within two
 * seconds, or has followed the invisible link. Marked hits are stored and counted separately.
 * Decides only.
 */
import { honeypotLinkIndex } from '../compose/track-links.ts'

export interface Hit {
  readonly campaignId: string
  readonly contactId: string
  readonly kind: 'open' | 'click'
  readonly linkIndex: number | null
  /** A HEAD request: no mail client sends one. */
  readonly isProbe: boolean
  readonly userAgent: string | null
  readonly atMs: number
}

/** Time window of a burst. Hits must be buffered at least this long before they are classified. */
export const burstMs = 2_000
const burstLinksMin = 3
const tooSoonMs = 10_000

/** A bare `Mozilla/5.0` is a privacy proxy, which loads images before a person opens the email. */
const machineAgents =
  /bot\b|crawl|spider|scan|preview|prefetch|proofpoint|mimecast|barracuda|safelinks|fireeye|trendmicro|symantec|forcepoint|cloudmark|slurp|curl\/|wget|python-|go-http|java\/|okhttp|headless|libwww|axios|node-fetch|monitor|^mozilla\/5\.0$/i

/** `around`: all hits of the same contacts that may belong to one burst with these. */
export function markMachines(
  hits: readonly Hit[],
  around: readonly Hit[],
  handedOverMs: readonly (number | null)[],
): boolean[] {
  const ofContact = new Map<string, Hit[]>()
  for (const hit of around) {
    const known = ofContact.get(contactOf(hit))
    if (known === undefined) ofContact.set(contactOf(hit), [hit])
    else known.push(hit)
  }
  return hits.map((hit, index) => {
    if (hit.isProbe || hit.userAgent === null || machineAgents.test(hit.userAgent)) return true
    const handedOver = handedOverMs[index] ?? null
    if (handedOver !== null && hit.atMs - handedOver < tooSoonMs) return true
    return hasMachine(hit, ofContact.get(contactOf(hit)) ?? [])
  })
}

/** Key of one contact and one campaign. */
export function contactOf({ campaignId, contactId }: Hit): string {
  return `${campaignId} ${contactId}`
}

function hasMachine(hit: Hit, others: readonly Hit[]): boolean {
  const near = others.filter(({ atMs }) => Math.abs(atMs - hit.atMs) <= burstMs)
  if (near.some(({ linkIndex }) => linkIndex === honeypotLinkIndex)) return true
  const clicks = near.filter(({ kind }) => kind === 'click')
  // The burst may be any window of two seconds that contains this hit.
  return clicks.some(({ atMs }) => {
    const burst = clicks.filter((click) => atMs <= click.atMs && click.atMs <= atMs + burstMs)
    const holdsHit = atMs <= hit.atMs && hit.atMs <= atMs + burstMs
    return holdsHit && burstLinksMin <= new Set(burst.map(({ linkIndex }) => linkIndex)).size
  })
}
