/** The emails that were sent to one person. */
import { z } from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import { BounceItem } from './bounce.ts'
import { SendLogItem, SendStatus } from './send.ts'

const time = z.string().nullable()

export const ContactEmail = z
  .object({
    kind: z.enum(['campaign', ...SendLogItem.shape.kind.options]),
    id: z.string().describe('Of the campaign, or of the email in the send log.'),
    contactId: z
      .string()
      .nullable()
      .describe(
        'The contact of a campaign: its delivery has the attempts. Null for single emails.',
      ),
    newsletter: z.string().nullable().describe('Slug of the newsletter.'),
    subject: z.string().describe('Of a campaign: with its placeholders.'),
    status: SendStatus,
    reason: z.string().nullable(),
    attempts: z.number().int(),
    at: z.string().describe('When the campaign was sent, or the email was created.'),
    deliveredAt: time.describe('When the mail server accepted it.'),
    openedAt: time.describe('First open by a person; null also if opens are not tracked.'),
    clickedAt: time.describe('First click by a person.'),
    bounce: BounceItem.pick({ type: true, cause: true, counted: true, at: true, excerpt: true })
      .nullable()
      .describe('The newest report about this email.'),
  })
  .meta({
    id: 'ContactEmail',
    example: {
      kind: 'campaign',
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      contactId: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e11',
      newsletter: 'demo',
      subject: 'What is new in November',
      status: 'sent',
      reason: null,
      attempts: 1,
      at: '2026-11-21T01:02:03.456Z',
      deliveredAt: '2026-11-21T01:02:04.789Z',
      openedAt: '2026-11-21T07:30:00.000Z',
      clickedAt: null,
      bounce: null,
    },
  })
export type ContactEmail = z.infer<typeof ContactEmail>

export const ContactEmailQuery = z.object(PageQuery)
export const ContactEmailPage = pageOf(ContactEmail).meta({ id: 'ContactEmailPage' })
