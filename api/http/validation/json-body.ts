/** Parses JSON bodies as strict UTF-8, so that no character is replaced. */
import { isUtf8 } from 'node:buffer'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiInstance } from '../route.ts'
import { invalidField } from './invalid-field.ts'

/**
 * The maximum of values and field names in one body. They are checked synchronously; the largest
 * valid bodies have some thousands.
 */
export const bodyPartsMax = 20_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Instead of `bodyPartsMax`, for routes that take large lists. */
    bodyPartsMax?: number
  }
}

/** Many clients send the content type without a body, as with DELETE. Schemas require bodies. */
export function takeJsonBodies(app: ApiInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const partsMax = request.routeOptions.config.bodyPartsMax
      done(null, parseJsonBody(body as Buffer, partsMax))
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * `__proto__` becomes an own field here, which the check of field names refuses (hostile-text.ts).
 */
export function parseJsonBody(bytes: Buffer, partsMax = bodyPartsMax): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) {
    throw new CodedError('invalid_json', { message: 'The body is not valid UTF-8.' })
  }
  if (hasMoreParts(bytes, partsMax)) {
    throw invalidField('body', `must have at most ${partsMax} values and names of fields`)
  }
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new CodedError('invalid_json', { cause })
  }
}

const quote = 0x22
const backslash = 0x5c
/** The characters `,`, `:`, `[` and `{`. One of them precedes each part except the first. */
const separators = new Uint8Array(256)
for (const character of ',:[{') separators[character.charCodeAt(0)] = 1

/**
 * Whether JSON text has more than `partsMax` parts, without parsing it. The result is undefined for
 * other text.
 */
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
