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
      '`hard` and `complaint` suppress the address immediately, `soft` after three consecutive reports.',
    ),
    source: ContactSource.nullish().describe('Reporter of the bounce, such as `postmark`.'),
  })
  .meta({
    id: 'BounceReport',
    example: { email: 'ada@example.com', type: 'soft', source: 'my relay' },
  })
export type BounceReport = z.infer<typeof BounceReport>

export const BounceReply = z
  .object({
    email: z.string(),
    suppressed: z.boolean().describe('True: no more emails are sent to this address.'),
    softBounces: z.number().int().describe('Number of consecutive soft bounces.'),
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
        'False: recorded without effect on the address, because of its cause or because it arrived too late.',
      ),
    cause: BounceCause.nullable().describe(
      'Cause of the bounce. Only `mailbox` and `complaint` suppress immediately; `transient` counts as a soft bounce. Null: reported without a cause.',
    ),
    source: z.string().nullable(),
    excerpt: z.string().nullable().describe('Excerpt of the reply of the mail server.'),
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

export const CampaignBounceQuery = z.object({ ...PageQuery, type: BounceType.optional() })

export const CampaignBounce = BounceItem.extend({
  contactId: z.string().nullable().describe('Null: the contact was deleted.'),
})
export const CampaignBouncePage = pageOf(CampaignBounce).meta({ id: 'CampaignBouncePage' })

export const CampaignUnsubscribe = z.object({
  contactId: z.string(),
  email: z.string().nullable().describe('Null: the address was erased.'),
  name: z.string().nullable(),
  via: z.string().describe('`unsubscribe_page`, or `one_click` for the button of the mailbox.'),
  reason: z.string().nullable().describe('What the person typed on the page, if anything.'),
  at: z.string(),
})
export const CampaignUnsubscribePage = pageOf(CampaignUnsubscribe).meta({
  id: 'CampaignUnsubscribePage',
})
