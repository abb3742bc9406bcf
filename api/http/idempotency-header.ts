import { z } from 'zod'

/** The request's headers as a schema: it documents one and keeps the others. */
export const IdempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .optional()
    .describe(
      'Makes repeating the request safe: 1 to 255 printable characters, kept for 24 hours.',
    ),
})
