/** Contacts in the administration API. */
import { z } from 'zod'
import { PageQuery, pageOf, SearchText } from '../page.ts'
import { AddressText, NewsletterName } from './address-text.ts'
import { Attribs, ContactName, ContactSource, ContactStatus } from './contact.ts'

const time = z.string().nullable()

export const ContactItem = z
  .object({
    id: z.string(),
    newsletter: z.string(),
    email: z.string().nullable().describe('Null when the address was erased.'),
    status: ContactStatus,
    name: z.string().nullable(),
    attribs: Attribs,
    source: z.string().nullable().describe('Source of the first signup.'),
    createdAt: z.string(),
    confirmedAt: time,
    unsubscribedAt: time,
    suppressedAt: time.describe('Time since which no newsletter sends emails to this address.'),
    suppressionCause: z.string().nullable(),
  })
  .meta({
    id: 'Contact',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      newsletter: 'demo',
      email: 'ada@example.com',
      status: 'subscribed',
      name: 'Ada Lovelace',
      attribs: { city: 'London' },
      source: 'footer form',
      createdAt: '2026-11-21T01:02:03.456Z',
      confirmedAt: '2026-11-21T01:05:00.000Z',
      unsubscribedAt: null,
      suppressedAt: null,
      suppressionCause: null,
    },
  })
export type ContactItem = z.infer<typeof ContactItem>

export const ContactEventItem = z
  .object({
    kind: z.string(),
    via: z.string(),
    source: z.string().nullable(),
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    at: z.string(),
  })
  .meta({ id: 'ContactEvent' })

export const ContactDetail = ContactItem.extend({
  signupIp: z.string().nullable(),
  confirmedIp: z.string().nullable(),
  confirmedUserAgent: z.string().nullable(),
  events: z
    .array(ContactEventItem)
    .describe('The newest 200 events that explain why this person does or does not get emails.'),
}).meta({ id: 'ContactDetail' })
export type ContactDetail = z.infer<typeof ContactDetail>

export const ContactQuery = z.object({
  ...PageQuery,
  newsletter: z.string().max(64).optional().describe('Slug of the newsletter.'),
  status: ContactStatus.optional(),
  query: SearchText.optional().describe('Part of the address or of the name.'),
})
export type ContactQuery = z.infer<typeof ContactQuery>

export const ContactPage = pageOf(ContactItem)

export const NewContactByAdmin = z
  .object({
    newsletter: NewsletterName,
    email: AddressText,
    name: ContactName.nullish(),
    attribs: Attribs.nullish(),
    source: ContactSource.nullish(),
    confirmed: z
      .boolean()
      .optional()
      .describe('True when the person has agreed elsewhere: no confirmation email is sent.'),
  })
  .meta({
    id: 'AddedContact',
    example: { newsletter: 'demo', email: 'ada@example.com', name: 'Ada Lovelace' },
  })

export type NewContactByAdmin = z.infer<typeof NewContactByAdmin>

export const ContactChange = z
  .object({
    name: ContactName.nullish().describe('Null or blank removes it.'),
    attribs: Attribs.optional().describe('Merged into the stored attributes; null removes one.'),
  })
  .meta({ id: 'ContactChange', example: { attribs: { plan: 'pro', city: null } } })
export type ContactChange = z.infer<typeof ContactChange>

export const ContactNumbers = z
  .object({
    byStatus: z.record(ContactStatus, z.number().int()),
    days: z
      .array(
        z.object({
          day: z.string(),
          signups: z.number().int(),
          confirmed: z.number().int(),
          unsubscribed: z.number().int(),
        }),
      )
      .describe('Many signups that are not confirmed can mean that a form is abused.'),
  })
  .meta({
    id: 'ContactNumbers',
    example: {
      byStatus: { pending: 2, subscribed: 40, unsubscribed: 3, bounced: 1, complained: 0 },
      days: [{ day: '2026-11-21', signups: 5, confirmed: 4, unsubscribed: 0 }],
    },
  })
