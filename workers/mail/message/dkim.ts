/**
 * DKIM signatures (RFC 6376): rsa-sha256, relaxed canonicalisation of headers and body. Made here rather than by a library because
 * List-Unsubscribe-Post must be among the signed fields (RFC 8058), because the key must be parsed once and not for each letter,
 * and because the costly step can leave this thread.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

export interface DkimKey {
  readonly domain: string
  readonly selector: string
  readonly key: KeyObject
}

/** In lower case; those that a letter lacks are left out, and From twice, so that nobody can add another one. */
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

/** The field with its CR LF, to stand before all others. `headers` are whole lines, `body` begins after the empty one. */
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
  // Named once more than it is there: a second From breaks the signature.
  names.push('from')
  const bodyHash = createHash('sha256').update(relaxedBody(body)).digest('base64')
  const value = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};\r\n h=${names.join(':')};\r\n bh=${bodyHash};\r\n b=`
  const toSign = `${signed}dkim-signature:${relaxedValue(value)}`
  const signature = (await signInPool('sha256', Buffer.from(toSign), key)).toString('base64')
  return `DKIM-Signature: ${value}${signature.replace(/.{1,74}/g, '\r\n $&').trimStart()}\r\n`
}

/** A key that cannot sign, or not what the published key verifies, must be found before letters leave unsigned. */
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

/** By name, as the relaxed form has them; our letters hold each of the signed ones once. */
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
 * Our bodies have no white space at the end of a line, since quoted-printable and base64 leave none; runs within a line
 * are made one here, and empty lines at the end are dropped.
 */
function relaxedBody(body: Buffer): string {
  const text = body.toString('latin1')
  const runs = /[ \t]{2,}|\t/.test(text) ? text.replace(/[ \t]+/g, ' ') : text
  let end = runs.length
  while (end >= 2 && runs.startsWith('\r\n', end - 2)) end -= 2
  // A body of nothing but line ends is an empty one.
  return end === 0 ? '' : `${runs.slice(0, end)}\r\n`
}
