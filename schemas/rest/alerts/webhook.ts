/** Outgoing webhooks of an organization: the event feed of the product (http-api: Webhooks). */
import { z } from 'zod'
import { pageOf } from '../page.ts'

/** Webhooks of one organization. Every event is compared with all of them. */
export const webhooksPerOrganizationMax = 20
const labelCharactersMax = 100
const urlCharactersMax = 2_000

export const webhookEvents = [
  'contact.subscribed',
  'contact.confirmed',
  'contact.unsubscribed',
  'contact.bounced',
  'contact.complained',
  'email.delivered',
  'email.bounced',
  'email.opened',
  'email.clicked',
  'idea.created',
  'idea.status_changed',
  'idea.commented',
] as const
export const WebhookEvent = z.enum(webhookEvents)
export type WebhookEvent = z.infer<typeof WebhookEvent>

const fields = {
  url: z.url().max(urlCharactersMax),
  label: z
    .string()
    .trim()
    .max(labelCharactersMax)
    .regex(/^\P{Cc}*$/u, 'must not have control characters'),
  events: z
    .array(WebhookEvent)
    .min(1)
    .max(webhookEvents.length)
    .refine((events) => new Set(events).size === events.length, 'must not name an event twice'),
  enabled: z.boolean(),
} as const

export const WebhookInput = z
  .strictObject({
    url: fields.url,
    label: fields.label.default(''),
    events: fields.events,
    enabled: fields.enabled.default(true),
  })
  .meta({
    id: 'WebhookBody',
    example: {
      url: 'https://example.com/hooks/sluice',
      label: 'CRM',
      events: ['contact.subscribed', 'email.bounced', 'idea.created'],
    },
  })
export type WebhookInput = z.infer<typeof WebhookInput>

/** A field that is left out keeps its value. */
export const WebhookChange = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'WebhookChange', example: { events: ['contact.unsubscribed'] } })
export type WebhookChange = z.infer<typeof WebhookChange>

const time = z.string().nullable()

export const WebhookItem = z
  .object({
    id: z.guid(),
    url: z.string(),
    label: z.string(),
    events: z.array(WebhookEvent),
    enabled: z.boolean().describe('Set it to true to send again after the URL was disabled.'),
    disabled_at: time,
    disabled_reason: z.string().nullable(),
    paused_until: time.describe('After several failures nothing is sent before then.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Webhook' })
export type WebhookItem = z.infer<typeof WebhookItem>

export const NewWebhook = WebhookItem.extend({
  secret: z.string().describe('`whsec_…`, in this answer only.'),
}).meta({ id: 'NewWebhook' })
export type NewWebhook = z.infer<typeof NewWebhook>

export const WebhookList = pageOf(WebhookItem).meta({ id: 'WebhookList' })

export const RotatedWebhookSecret = z
  .object({
    secret: z.string().describe('The new secret, in this answer only.'),
    previous_secret_until: z.string().describe('Until then every request has two signatures.'),
  })
  .meta({ id: 'RotatedWebhookSecret' })
export type RotatedWebhookSecret = z.infer<typeof RotatedWebhookSecret>
