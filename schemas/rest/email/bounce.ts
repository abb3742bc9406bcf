/**
 * Bounces and complaints over the API (email-api: POST /api/v1/bounces), the list of them, and what
 * a provider must prove.
 */
import { z } from 'zod'
import { BounceCause, BounceType } from '../../mail/bounce.ts'
import { PageQuery, pageOf, SearchText } from '../page.ts'
import { AddressText } from './address-text.ts'
import { ContactSource } from './contact.ts'

export const BounceReport = z
  .object({
    email: AddressText,
    type: BounceType.describe(
      'hard and complaint suppress the address at once, soft the third time in a row.',
    ),
    source: ContactSource.nullish().describe('Who reports it, as in `postmark`.'),
  })
  .meta({
    id: 'BounceReport',
    example: { email: 'ada@example.com', type: 'soft', source: 'my relay' },
  })
export type BounceReport = z.infer<typeof BounceReport>

export const BounceReply = z
  .object({
    email: z.string(),
    suppressed: z.boolean().describe('No emails are sent to this address any more.'),
    softBounces: z.number().int().describe('Soft bounces in a row.'),
  })
  .meta({
    id: 'BounceReply',
    example: { email: 'ada@example.com', suppressed: false, softBounces: 1 },
  })
export type BounceReply = z.infer<typeof BounceReply>

export const BounceItem = z
  .object({
    id: z.string(),
    email: z.string().nullable().describe('Null: the address was erased.'),
    type: BounceType,
    counted: z
      .boolean()
      .describe(
        'False: recorded without effect on the address, because of its cause or because it came too late.',
      ),
    cause: BounceCause.nullable().describe(
      'Why it came back. Only `mailbox` and `complaint` suppress at once; `transient` counts towards the third soft bounce. Null: reported with a type alone.',
    ),
    source: z.string().nullable(),
    excerpt: z.string().nullable().describe('The reply of the mail server.'),
    at: z.string(),
    receivedAt: z.string(),
  })
  .meta({
    id: 'Bounce',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      email: 'ada@example.com',
      type: 'hard',
      counted: true,
      cause: 'mailbox',
      source: 'smtp',
      excerpt: '550 5.1.1 user unknown',
      at: '2026-11-21T01:02:03.456Z',
      receivedAt: '2026-11-21T01:02:03.456Z',
    },
  })
export type BounceItem = z.infer<typeof BounceItem>

export const BounceListQuery = z.object({
  ...PageQuery,
  type: BounceType.optional(),
  cause: BounceCause.optional(),
  query: SearchText.optional().describe('Part of an address.'),
})
export const BouncePage = pageOf(BounceItem).meta({ id: 'BouncePage' })
