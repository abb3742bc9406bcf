import { createHash } from 'node:crypto'

const hashCharacters = 22

/** A weak entity tag: the same content may be sent with different encodings. */
export function weakEtag(body: string | Buffer): string {
  const hash = createHash('sha1').update(body).digest('base64url').slice(0, hashCharacters)
  return `W/"${hash}"`
}

/** Whether the header `If-None-Match` names the tag (RFC 9110: weak comparison). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const wanted = withoutWeakness(etag)
  return header.split(',').some((given) => withoutWeakness(given.trim()) === wanted)
}

function withoutWeakness(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag
}
