/** How JSON bodies are read: as UTF-8 and nothing else, so that no character is replaced on the way in. */
import { isUtf8 } from 'node:buffer'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiInstance } from '../route.ts'
import { invalidField } from './invalid-field.ts'

/** Values and names of fields in one body. What checks a body walks all of them in one piece; the largest honest bodies have some thousands. */
export const bodyPartsMax = 20_000

/** Many clients name the type of a body that they do not send, as with DELETE. Where one is needed, its schema says so. */
export function takeJsonBodies(app: ApiInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** `__proto__` becomes an own field here, which the check of field names refuses (hostile-text.ts). */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) {
    throw new CodedError('invalid_json', { message: 'The body is not valid UTF-8.' })
  }
  if (hasMoreParts(bytes, bodyPartsMax)) {
    throw invalidField('body', `must have at most ${bodyPartsMax} values and names of fields`)
  }
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new CodedError('invalid_json', { cause })
  }
}

const quote = 0x22
const backslash = 0x5c
/** `,`, `:`, `[` and `{`: one stands before each part but the first. */
const separators = new Uint8Array(256)
for (const character of ',:[{') separators[character.charCodeAt(0)] = 1

/** Whether JSON text has more than `partsMax` parts, without parsing it. What is not JSON has any number. */
function hasMoreParts(bytes: Uint8Array, partsMax: number): boolean {
  if (bytes.length <= partsMax) return false
  let parts = 1
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    if (byte === quote) at = endOfText(bytes, at)
    else parts += separators[byte]!
    if (partsMax < parts) return true
  }
  return false
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
