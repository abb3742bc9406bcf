/**
 * DKIM signatures (RFC 6376): rsa-sha256, relaxed canonicalisation of headers and body. Our own
 * code signs List-Unsubscribe-Post too (RFC 8058), parses a key once instead of once for each
 * message, and signs in the thread pool (docs/adr/0010).
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

export interface DkimKey {
  readonly domain: string
  readonly selector: string
  readonly key: KeyObject
}

/** Names of signed fields, in lower case. A field that a message lacks is left out. */
const signedNames: readonly string[] = [
  'from',
  'to',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
]

const signInPool = promisify(sign)

/**
 * Returns the DKIM-Signature field with its CR LF, which goes before all other fields. `headers`
 * are whole lines; `body` begins after the empty line.
 */
export async function dkimHeader(
  headers: string,
  body: Buffer,
  { domain, selector, key }: DkimKey,
): Promise<string> {
  const fields = fieldsOf(headers)
  const names: string[] = []
  let signed = ''
  for (const name of signedNames) {
    const field = fields.get(name)
    if (field === undefined) continue
    names.push(name)
    signed += `${name}:${field}\r\n`
  }
  // From is named once more than it occurs, so that a second From field breaks the signature.
  names.push('from')
  const bodyHash = createHash('sha256').update(relaxedBody(body)).digest('base64')
  const value = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};\r\n h=${names.join(':')};\r\n bh=${bodyHash};\r\n b=`
  const toSign = `${signed}dkim-signature:${relaxedValue(value)}`
  const signature = (await signInPool('sha256', Buffer.from(toSign), key)).toString('base64')
  return `DKIM-Signature: ${value}${signature.replace(/.{1,74}/g, '\r\n $&').trimStart()}\r\n`
}

/** Signs and verifies a sample, because a key that cannot sign must be found before it is used. */
export function checkDkimKey(key: KeyObject): 'usable' | 'not_rsa' | 'broken' {
  if (key.asymmetricKeyType !== 'rsa') return 'not_rsa'
  try {
    const sample = Buffer.from('sample')
    return verify('sha256', sample, createPublicKey(key), sign('sha256', sample, key))
      ? 'usable'
      : 'broken'
  } catch {
    return 'broken'
  }
}

/** Values by name in relaxed form. Our messages contain each signed field once. */
function fieldsOf(headers: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const field of headers.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':')
    if (colon > 0)
      fields.set(field.slice(0, colon).toLowerCase(), relaxedValue(field.slice(colon + 1)))
  }
  return fields
}

function relaxedValue(value: string): string {
  return value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
}

/**
 * The body in relaxed form. Quoted-printable leaves no white space at the end of a line, so only
 * runs of white space within a line become one space, and empty lines at the end are dropped.
 */
function relaxedBody(body: Buffer): string {
  const text = body.toString('latin1')
  const runs = /[ \t]{2,}|\t/.test(text) ? text.replace(/[ \t]+/g, ' ') : text
  let end = runs.length
  while (end >= 2 && runs.startsWith('\r\n', end - 2)) end -= 2
  // A body of line ends only counts as empty.
  return end === 0 ? '' : `${runs.slice(0, end)}\r\n`
}
