import { z } from 'zod'

/** The header for routes that accept it. Other routes ignore it. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')

/** The request headers as a schema that documents one header and keeps the others. */
export const IdempotencyHeaders = z.looseObject({
  'idempotency-key': IdempotencyKey.optional().describe(
    'Makes repeating the request safe: 1 to 255 printable ASCII characters, kept for 24 hours.',
  ),
})
