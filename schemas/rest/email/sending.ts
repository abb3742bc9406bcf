/** Sending of campaigns: requests, progress, deliveries. */
import { z } from 'zod'
import { Instant, PageQuery, pageOf, SearchText } from '../page.ts'
import { CampaignState } from './campaign-admin.ts'
import { EmailHistory } from './delivery-attempt.ts'

export const emailsPerSecondMax = 10_000
const RateMax = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(emailsPerSecondMax, `must be at most ${emailsPerSecondMax}`)
const resentMax = 1_000

export const deliveryStates = [
  'queued',
  'claimed',
  'handed_over',
  'sent',
  'failed',
  'skipped',
  'uncertain',
  'cancelled',
] as const
export const DeliveryState = z.enum(deliveryStates)
export type DeliveryState = z.infer<typeof DeliveryState>

export const SendRequest = z
  .object({
    scheduledAt: Instant.nullish().describe('Default: now.'),
    ratePerSecond: RateMax.nullish().describe(
      'Limit of this campaign, in addition to that of the transport.',
    ),
    warmUp: z
      .boolean()
      .nullish()
      .describe('At most 200 emails on the first day, then twice as many each day.'),
    force: z.boolean().nullish().describe('Send even if a preflight check found an error.'),
  })
  .meta({ id: 'SendRequest', example: { scheduledAt: '2026-12-01T08:00:00Z', ratePerSecond: 50 } })

export const SendingRate = z
  .object({ ratePerSecond: RateMax.nullable().describe('Null: no limit.') })
  .meta({ id: 'SendingRate', example: { ratePerSecond: 50 } })

export const Sending = z
  .object({
    state: CampaignState,
    reason: z.string().nullable().describe('Why it was paused automatically, in a sentence.'),
    scheduledAt: z.string().nullable(),
    sentAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
    ratePerSecond: z.number().nullable().describe('Emails per second, recently.'),
    rateMax: z.number().nullable(),
    etaSeconds: z.number().int().nullable(),
    audience: z.number().int().describe('Always the sum of the six numbers that follow.'),
    waiting: z.number().int(),
    sent: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    uncertain: z
      .number()
      .int()
      .describe(
        'Handed over to the mail server without a reply, so they may have been sent. They are not retried.',
      ),
    cancelled: z.number().int(),
    bounced: z.number().int(),
    complained: z.number().int(),
  })
  .meta({
    id: 'Sending',
    example: {
      state: 'sending',
      reason: null,
      scheduledAt: null,
      sentAt: '2026-11-21T01:02:03.456Z',
      finishedAt: null,
      ratePerSecond: 412.5,
      rateMax: null,
      etaSeconds: 19,
      audience: 12_345,
      waiting: 7_800,
      sent: 4_530,
      failed: 4,
      skipped: 11,
      uncertain: 0,
      cancelled: 0,
      bounced: 4,
      complained: 0,
    },
  })
export type Sending = z.infer<typeof Sending>

export const DeliveryQuery = z.object({
  ...PageQuery,
  state: DeliveryState.optional(),
  query: SearchText.optional().describe('A part of the address.'),
})

export const Delivery = z.object({
  contactId: z.string(),
  email: z.string().nullable().describe('Null once erased.'),
  name: z.string().nullable(),
  state: DeliveryState,
  reason: z.string().nullable(),
  attempts: z.number().int(),
  handedOverAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
})
export type Delivery = z.infer<typeof Delivery>

export const DeliveryDetail = Delivery.extend(EmailHistory).meta({ id: 'DeliveryDetail' })
export type DeliveryDetail = z.infer<typeof DeliveryDetail>

export const DeliveryPage = pageOf(Delivery).meta({
  id: 'DeliveryPage',
  example: {
    items: [
      {
        contactId: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
        email: 'ada@example.com',
        name: 'Ada',
        state: 'uncertain',
        reason: 'line_lost: the connection was closed',
        attempts: 1,
        handedOverAt: '2026-11-21T01:02:03.456Z',
        finishedAt: '2026-11-21T01:02:04.456Z',
      },
    ],
    next_cursor: null,
  },
})

export const ResendRequest = z
  .object({
    state: z.enum(['uncertain', 'failed']).default('uncertain'),
    contactIds: z.array(z.uuid()).min(1).max(resentMax).nullish().describe('Default: all of them.'),
  })
  .meta({ id: 'ResendRequest', example: { state: 'uncertain' } })

export const ResendReply = z
  .object({ requeued: z.number().int() })
  .meta({ id: 'ResendReply', example: { requeued: 3 } })
