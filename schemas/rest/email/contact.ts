/** A signup over the email API: request and reply (email-api: POST /api/v1/contacts). */
import { z } from 'zod'
import { AddressText, NewsletterName } from './address-text.ts'

export const ContactStatus = z.enum([
  'pending',
  'subscribed',
  'unsubscribed',
  'bounced',
  'complained',
])
export type ContactStatus = z.infer<typeof ContactStatus>

export const attribsMax = 50
export const nameCharactersMax = 200
export const sourceCharactersMax = 200
export const attribCharactersMax = 2_000

/** Postgres stores neither NUL nor half a surrogate pair. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
/** Control characters and line separators. Each could add or break a header of an email. */
const controls = /[\p{Cc}\u2028\u2029]+/gu

/** One line of text. A blank one counts as missing. */
function line(charactersMax: number) {
  return z
    .string()
    .transform((text) => text.replace(controls, ' ').trim())
    .refine((text) => text.length <= charactersMax, `must have at most ${charactersMax} characters`)
    .refine((text) => !unstorable.test(text), 'must be well-formed Unicode')
    .transform((text) => (text === '' ? undefined : text))
}

export const ContactName = line(nameCharactersMax)
export const ContactSource = line(sourceCharactersMax)

export const attribKeyPattern = /^[A-Za-z0-9_-]{1,64}$/

export const AttribValue = z.union(
  [
    z
      .string()
      .max(attribCharactersMax, `must have at most ${attribCharactersMax} characters`)
      .refine((text) => !unstorable.test(text), 'must be well-formed Unicode without NUL'),
    z.number(),
    z.boolean(),
    z.null(),
  ],
  'must be a text, a finite number, true, false or null',
)
export type AttribValue = z.infer<typeof AttribValue>

/**
 * Their number is checked together with the stored ones, not here: that error has the code
 * `too_many_attribs`.
 */
export const Attribs = z.record(
  z.string().regex(attribKeyPattern, 'must be 1 to 64 letters, digits, underscores and hyphens'),
  AttribValue,
)
export type Attribs = z.infer<typeof Attribs>

export const NewContact = z
  .object({
    newsletter: NewsletterName,
    email: AddressText.describe('Case does not matter. The domain may be Unicode.'),
    name: ContactName.nullish().describe('Fills {{name}}. Replaces the stored name.'),
    attribs: Attribs.nullish().describe(
      `At most ${attribsMax} keys, each filling {{attr.key}}. They are merged into the stored ones; null removes one.`,
    ),
    source: ContactSource.nullish().describe('Where the signup came from.'),
    ip: AddressText.trim()
      .nullish()
      .describe("The visitor's IP address, for the limit of 5 signups in 10 minutes."),
    resubscribe: z
      .boolean()
      .nullish()
      .describe(
        'True subscribes an unsubscribed contact again. A bounced or complained one stays suppressed.',
      ),
  })
  .meta({
    id: 'NewContact',
    example: {
      newsletter: 'demo',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      attribs: { city: 'London', plan: 'pro' },
      source: 'footer form',
      ip: '203.0.113.7',
    },
  })
export type NewContact = z.infer<typeof NewContact>

export const SignupReply = z
  .object({
    id: z.string(),
    status: ContactStatus,
    created: z.boolean().describe('True when this call created the contact.'),
    inbox: z
      .string()
      .optional()
      .describe(
        'While pending, and when the mailbox provider is known: a URL that opens the mailbox with the confirmation email.',
      ),
  })
  .meta({
    id: 'SignupReply',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      status: 'pending',
      created: true,
      inbox: 'https://mail.proton.me/u/0/all-mail#from=news%40demo.test',
    },
  })
export type SignupReply = z.infer<typeof SignupReply>
