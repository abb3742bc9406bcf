/**
 * DKIM signatures (RFC 6376): rsa-sha256, relaxed canonicalization of headers and body. Not from a
 * library, because List-Unsubscribe-Post must be among the signed fields (RFC 8058), the key is
 * parsed once and not for each email, and the costly step can run outside this thread.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

export interface DkimKey {
  readonly domain: string
  readonly selector: string
  readonly key: KeyObject
}

/**
 * Signed fields in lower case. Missing ones are omitted, and From is listed twice, so that nobody
 * can add another one.
 */
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
 * Returns the header field with its CR LF, to be placed before all others. `headers` are whole
 * lines, `body` begins after the empty line.
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
  // Listed once more than it occurs: a second From breaks the signature.
  names.push('from')
  const bodyHash = createHash('sha256').update(relaxedBody(body)).digest('base64')
  const value = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};\r\n h=${names.join(':')};\r\n bh=${bodyHash};\r\n b=`
  const toSign = `${signed}dkim-signature:${relaxedValue(value)}`
  const signature = (await signInPool('sha256', Buffer.from(toSign), key)).toString('base64')
  return `DKIM-Signature: ${value}${signature.replace(/.{1,74}/g, '\r\n $&').trimStart()}\r\n`
}

/**
 * Tests a key before emails are sent: one that cannot sign, or whose signature does not match the
 * published key, must not be used.
 */
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

/** Fields by name in relaxed form. Our emails contain each signed field once. */
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
 * Our bodies have no trailing white space, since quoted-printable and base64 produce none. Runs of
 * white space within a line become one, and empty lines at the end are dropped.
 */
function relaxedBody(body: Buffer): string {
  const text = body.toString('latin1')
  const runs = /[ \t]{2,}|\t/.test(text) ? text.replace(/[ \t]+/g, ' ') : text
  let end = runs.length
  while (end >= 2 && runs.startsWith('\r\n', end - 2)) end -= 2
  // A body that consists of line ends is an empty body.
  return end === 0 ? '' : `${runs.slice(0, end)}\r\n`
}
