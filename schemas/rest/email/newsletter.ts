/** Newsletters and their settings. */
import { z } from 'zod'
import { parseEmailAddress } from '../../email-address.ts'
import { DisplayName, NewsletterSlug } from '../account.ts'

const Mailbox = z
  .string()
  .max(320)
  .transform((text, context) => {
    const parsed = parseEmailAddress(text)
    if (parsed.kind === 'address') return parsed.email
    context.addIssue({ code: 'custom', message: parsed.rule })
    return z.NEVER
  })

const noControl = /^[^\p{Cc}]*$/u
/** Part of a header of every email. */
const HeaderText = z.string().trim().min(1).max(200).regex(noControl, 'must be one line')

const WebUrl = z
  .url({ protocol: /^https?$/, hostname: z.regexes.domain })
  .max(2_000)
  .describe('http or https')

const Locale = z
  .string()
  .max(35)
  .refine((tag) => {
    try {
      return Intl.getCanonicalLocales(tag).length === 1
    } catch {
      return false
    }
  }, 'must be a language tag such as en or pt-BR (BCP 47)')

const fields = {
  name: DisplayName,
  description: z.string().trim().max(2_000).nullable(),
  from_name: HeaderText.nullable().describe('The name of the newsletter by default.'),
  from_address: Mailbox,
  reply_to: Mailbox.nullable(),
  confirm_signups: z
    .boolean()
    .describe('Subscribers confirm their address before they get emails.'),
  archive_enabled: z.boolean().describe('Sent campaigns can be read on the web.'),
  archive_noindex: z.boolean().describe('Search engines are asked not to index the archive.'),
  track_opens: z.boolean(),
  track_clicks: z.boolean(),
  track_readers: z
    .boolean()
    .describe('True: opens and clicks are stored per contact. False: they are only counted.'),
  postal_address: z
    .string()
    .trim()
    .max(500)
    .nullable()
    .describe('Part of the footer of every email.'),
  logo_url: WebUrl.nullable(),
  footer: z.string().trim().max(5_000).nullable(),
  locale: Locale,
  confirm_redirect_url: WebUrl.nullable().describe('The page that opens after a confirmation.'),
  welcome_enabled: z.boolean(),
  welcome_subject: HeaderText.nullable(),
  welcome_markdown: z.string().max(50_000).nullable(),
} as const

export const Newsletter = z
  .object({
    id: z.uuid(),
    slug: z.string().describe('Unique within the organization.'),
    archive_path: z
      .string()
      .describe(
        'Path of the public archive, `/archive/{archive_path}/`. The slug, or the slug with a suffix.',
      ),
    ...fields,
    from_address: z.string(),
    reply_to: z.string().nullable(),
    logo_url: z.string().nullable(),
    confirm_redirect_url: z.string().nullable(),
    locale: z.string(),
    contact_counts: z.record(z.string(), z.int()).describe('Contacts by status.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({
    id: 'Newsletter',
    example: {
      id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
      slug: 'weekly',
      archive_path: 'weekly',
      name: 'The Weekly',
      description: null,
      from_name: 'Ada of Example',
      from_address: 'news@example.com',
      reply_to: null,
      confirm_signups: true,
      archive_enabled: true,
      archive_noindex: false,
      track_opens: false,
      track_clicks: false,
      track_readers: false,
      postal_address: 'Example Ltd, 1 Main Street, Springfield',
      logo_url: null,
      footer: null,
      locale: 'en',
      confirm_redirect_url: null,
      welcome_enabled: false,
      welcome_subject: null,
      welcome_markdown: null,
      contact_counts: { subscribed: 1200, pending: 3 },
      created_at: '2026-11-01T12:00:00.000Z',
      updated_at: '2026-11-01T12:00:00.000Z',
    },
  })
export type Newsletter = z.infer<typeof Newsletter>

export const NewsletterList = z.object({ items: z.array(Newsletter), next_cursor: z.null() })

export const NewsletterChange = z
  .strictObject(fields)
  .partial()
  .meta({ example: { reply_to: 'editors@example.com', archive_enabled: false } })
export type NewsletterChange = z.infer<typeof NewsletterChange>

export type NewsletterSettings = z.infer<z.ZodObject<typeof fields>>

export const NewsletterBody = z
  .strictObject({
    ...z.strictObject(fields).partial().shape,
    slug: NewsletterSlug.describe('Name of the newsletter in the email API. It cannot be changed.'),
    name: fields.name,
    from_address: fields.from_address,
  })
  .meta({ example: { slug: 'weekly', name: 'The Weekly', from_address: 'news@example.com' } })
export type NewsletterBody = z.infer<typeof NewsletterBody>
