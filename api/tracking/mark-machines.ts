/**
 * Machines open mail: scanners follow every link before the reader sees the letter, proxies load every picture. A hit is marked as a
 * machine's when it says so itself, when it comes too soon after the letter, when its reader has followed three different links within
 * two seconds, or has followed the link that nobody can see. Marked hits are kept and counted beside the others. Decides only.
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

/** Within which the links of one burst are counted; hits must be held at least so long before they are folded. */
export const burstMs = 2_000
const burstLinksMin = 3
const tooSoonMs = 10_000

/** The bare second one is what a privacy proxy calls itself, which loads pictures that nobody looks at. */
const machineAgents =
  /bot\b|crawl|spider|scan|preview|prefetch|proofpoint|mimecast|barracuda|safelinks|fireeye|trendmicro|symantec|forcepoint|cloudmark|slurp|curl\/|wget|python-|go-http|java\/|okhttp|headless|libwww|axios|node-fetch|monitor|^mozilla\/5\.0$/i

/** `around`: hits of the same readers that are folded now, or were within the time of a burst, or wait. */
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

/** One reader of one campaign. */
export function contactOf({ campaignId, contactId }: Hit): string {
  return `${campaignId} ${contactId}`
}

function hasMachine(hit: Hit, others: readonly Hit[]): boolean {
  const near = others.filter(({ atMs }) => Math.abs(atMs - hit.atMs) <= burstMs)
  if (near.some(({ linkIndex }) => linkIndex === honeypotLinkIndex)) return true
  const clicks = near.filter(({ kind }) => kind === 'click')
  // Any two seconds that this hit lies in may be those of the burst.
  return clicks.some(({ atMs }) => {
    const burst = clicks.filter((click) => atMs <= click.atMs && click.atMs <= atMs + burstMs)
    const holdsHit = atMs <= hit.atMs && hit.atMs <= atMs + burstMs
    return holdsHit && burstLinksMin <= new Set(burst.map(({ linkIndex }) => linkIndex)).size
  })
}
