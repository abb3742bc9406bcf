/**
 * Bodies of the webhooks of an organization (http-api: Webhooks). They are stored with the
 * delivery, so later versions read those of earlier ones: fields are added, never renamed.
 * schemas/postgres/0041-alerts.sql and api/webhooks/feed/ write them.
 */
import { z } from 'zod'
import { BounceCause } from '../../mail/bounce.ts'
import type { WebhookEvent } from './webhook.ts'

const text = z.string()
const timestamp = z.iso.datetime()

const contactData = z.strictObject({
  contact: z.strictObject({
    id: z.guid(),
    email: text,
    name: text.nullable(),
    status: z.enum(['pending', 'subscribed', 'unsubscribed', 'bounced', 'complained']),
    attribs: z.record(text, z.unknown()),
    newsletter: z.strictObject({ id: z.guid(), slug: text, name: text }),
  }),
  via: text.describe('signup, confirm_page, unsubscribe_page, one_click, preferences, …'),
  cause: z
    .enum(['hard', 'soft_run', 'complaint', 'manual'])
    .nullable()
    .describe('Why the address is suppressed.'),
})

const email = {
  to: text,
  kind: z.enum(['campaign', 'transactional', 'confirmation', 'welcome']),
  subject: text.describe('As its author wrote it, before values of the contact are filled in.'),
  send_id: z.guid().nullable().describe('Null for a campaign.'),
  campaign_id: z.guid().nullable(),
  contact_id: z.guid().nullable(),
}

const bounceData = z.strictObject({
  to: text,
  type: z.enum(['hard', 'soft']),
  cause: BounceCause.nullable(),
  counted: z.boolean().describe('False: it does not lead to a suppression.'),
  message_ref: text.nullable().describe('The part of the Message-ID before the @.'),
})

const ideaData = {
  project: z.strictObject({ id: z.guid(), name: text }),
  idea: z.strictObject({ id: z.guid(), title: text, status: text }),
}

const comment = z.strictObject({
  id: z.guid(),
  parent_id: z.guid().nullable(),
  body: text,
  author_name: text.nullable(),
  is_team: z.boolean(),
})

const event = <Type extends WebhookEvent, Data extends z.ZodType>(type: Type, data: Data) =>
  z.strictObject({ type: z.literal(type), timestamp, data })

export const FeedEvent = z.discriminatedUnion('type', [
  event('contact.subscribed', contactData),
  event('contact.confirmed', contactData),
  event('contact.unsubscribed', contactData),
  event('contact.bounced', contactData),
  event('contact.complained', contactData),
  event('email.delivered', z.strictObject(email)),
  event('email.bounced', bounceData),
  event('email.opened', z.strictObject(email)),
  event('email.clicked', z.strictObject({ ...email, url: text.nullable() })),
  event('idea.created', z.strictObject(ideaData)),
  event('idea.status_changed', z.strictObject({ ...ideaData, from: text, to: text })),
  event('idea.commented', z.strictObject({ ...ideaData, comment })),
])
export type FeedEvent = z.infer<typeof FeedEvent>
