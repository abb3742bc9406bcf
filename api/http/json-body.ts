/** How JSON bodies are read: as UTF-8 and nothing else, so that no character is replaced on the way in. */
import { isUtf8 } from 'node:buffer'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiInstance } from './route.ts'

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
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new CodedError('invalid_json', { cause })
  }
}
