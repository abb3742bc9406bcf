import { z } from 'zod'

/** An email that the embedded SMTP server captured. */
export const Email = z
  .object({
    id: z.string(),
    from: z.string(),
    to: z.array(z.string()),
    subject: z.string(),
    received_at: z.string(),
  })
  .meta({
    id: 'Letter',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      from: 'news@demo.test',
      to: ['ada@demo.test'],
      subject: 'Please confirm',
      received_at: '2026-11-21T01:02:03.456Z',
    },
  })
export type Email = z.infer<typeof Email>

export const EmailListQuery = z.strictObject({ to: z.string().max(320).optional() })

export const EmailDetail = Email.extend({
  headers: z
    .record(z.string(), z.string())
    .describe('Lower case names; repeated headers are joined by line breaks.'),
  text: z.string().nullable(),
  html: z.string().nullable(),
  raw: z.string(),
}).meta({ id: 'LetterDetail' })
export type EmailDetail = z.infer<typeof EmailDetail>
