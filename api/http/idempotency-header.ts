import { z } from 'zod'

/** What the routes that take the header document and check. Any other route ignores it, like other headers that it does not know. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')

/** The request's headers as a schema: it documents one and keeps the others. */
export const IdempotencyHeaders = z.looseObject({
  'idempotency-key': IdempotencyKey.optional().describe(
    'Makes repeating the request safe: 1 to 255 printable ASCII characters, kept for 24 hours.',
  ),
})
