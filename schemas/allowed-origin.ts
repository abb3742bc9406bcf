/**
 * The origins of web pages that may send events to a project. An entry is stored as browsers write
 * an `Origin` header, so that origins are compared as texts. A star matches one or more labels in
 * front of a domain, or any port of localhost.
 */
import { z } from 'zod'

const originCharactersMax = 255
const starHost = 'star-of-an-allowed-origin'

export const AllowedOrigin = z
  .string()
  .trim()
  .min(1)
  .max(originCharactersMax)
  .refine((text) => normalizeEntry(text) !== undefined, {
    error: 'must be a scheme and a host, such as https://app.example.com or https://*.example.com',
  })
  .overwrite((text) => normalizeEntry(text) ?? text)

/**
 * Undefined if the text is not an origin: a path, a host without scheme, a star alone or within a
 * label.
 */
function normalizeEntry(text: string): string | undefined {
  if (/^http:\/\/localhost:\*$/i.test(text)) return 'http://localhost:*'
  const isWild = /^https?:\/\/\*\.[^*][^*.]*\.[^*]+$/i.test(text)
  if (text.includes('*') && !isWild) return undefined
  try {
    const url = new URL(isWild ? text.replace('*', starHost) : text)
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '')
      return undefined
    if (/\/[?#]?$|[?#]$/.test(text.slice('https://'.length))) return undefined
    return isWild ? url.origin.replace(starHost, '*') : url.origin
  } catch {
    return undefined
  }
}

/** @param origin as a browser sends it: in lower case, without a default port. */
export function allowsOrigin(allowed: readonly string[], origin: string): boolean {
  if (allowed.length === 0) return true
  return allowed.some((entry) => {
    const star = entry.indexOf('*')
    if (star === -1) return entry === origin
    const [before, after] = [entry.slice(0, star), entry.slice(star + 1)]
    if (after === '') {
      if (origin === before.slice(0, -1)) return true
      return origin.startsWith(before) && /^\d+$/.test(origin.slice(before.length))
    }
    if (!origin.startsWith(before) || !origin.endsWith(after)) return false
    return /^[a-z0-9.-]+$/.test(origin.slice(before.length, -after.length))
  })
}
