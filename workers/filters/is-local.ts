/** Recognises events of a developer's own machine by the page's host and by the user's address. */
import type { NormalizedEvent } from '../normalize/event.ts'

export function isLocal({ user: { ip }, request }: NormalizedEvent): boolean {
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
