/** Events of a developer's own machine, by the address of the page or service and by that of its visitor. */
import type { CanonicalRequest } from '../normalize/canonical-event.ts'
import type { NormalizedEvent } from '../normalize/event.ts'

interface Visit {
  readonly event: NormalizedEvent
  readonly request: CanonicalRequest | undefined
}

export function isLocal({ event, request }: Visit): boolean {
  const { ip } = event.user
  if (ip === '::1' || ip.startsWith('127.')) return true
  const host = hostOf(request?.url ?? '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    host === '0.0.0.0' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
  )
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname.toLowerCase()
  } catch {
    return ''
  }
}
