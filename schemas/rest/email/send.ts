/** Transactional emails over the API (email-api: POST /api/v1/send), and their log for people. */
import { z } from 'zod'
import { MiB } from '../../limits.ts'
import { PageQuery, pageOf, SearchText } from '../page.ts'
import { AddressText, NewsletterName } from './address-text.ts'
import { Attribs, ContactName } from './contact.ts'
import { EmailHistory } from './delivery-attempt.ts'

const subjectCharactersMax = 255
const previewCharactersMax = 255
const sourceCharactersMax = 1 * MiB
/** Maximum number of keys in `data`; contacts may have fewer attributes. */
const dataKeysMax = 200

/** Postgres stores neither NUL nor half a surrogate pair. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

function text(charactersMax: number) {
  return z
    .string()
    .max(charactersMax, `must have at most ${charactersMax} characters`)
    .refine((value) => !unstorable.test(value), 'must be well-formed Unicode without NUL')
}

/** A blank text counts as missing. */
function optional(schema: ReturnType<typeof text>) {
  return schema.transform((value) => (value.trim() === '' ? undefined : value)).nullish()
}

/** Fields of other products that are not supported here, and what to do instead. */
export const unsupportedSendFields: Readonly<Record<string, string>> = {
  cc: 'is not supported: an email has one recipient; send one request for each',
  bcc: 'is not supported: an email has one recipient; send one request for each',
  attachments: 'is not supported: put a link into the text',
  attachment: 'is not supported: put a link into the text',
  from: 'is not supported: the from address is set on the newsletter',
  fromName: 'is not supported: the sender name is set on the newsletter',
  replyTo: 'is not supported: the reply-to address is set on the newsletter',
  reply_to: 'is not supported: the reply-to address is set on the newsletter',
  headers: 'is not supported: custom headers cannot be set',
  text: 'is not supported: the text part is made from html or markdown',
  body: 'is not supported: use html or markdown',
  scheduledAt: 'is not supported: an email is sent at once',
  scheduled_at: 'is not supported: an email is sent at once',
  sendAt: 'is not supported: an email is sent at once',
  template: 'is not supported: send the text in html or markdown',
  templateId: 'is not supported: send the text in html or markdown',
  template_id: 'is not supported: send the text in html or markdown',
  variables: 'is not supported: use data',
  tags: 'is not supported',
  trackOpens: 'is not supported: transactional emails are not tracked',
  trackClicks: 'is not supported: transactional emails are not tracked',
}

export const NewSendRequest = z
  .object({
    newsletter: NewsletterName.describe(
      'Slug of the newsletter whose from address, reply-to and name are used.',
    ),
    to: AddressText.describe('One address. It need not be a contact.'),
    subject: text(subjectCharactersMax).refine((value) => value.trim() !== '', 'must not be blank'),
    previewText: optional(text(previewCharactersMax)),
    html: optional(text(sourceCharactersMax)).describe('Either this or `markdown`.'),
    markdown: optional(text(sourceCharactersMax)),
    name: ContactName.nullish().describe('Fills {{name}}.'),
    data: Attribs.refine(
      (data) => Object.keys(data).length <= dataKeysMax,
      `must have at most ${dataKeysMax} keys`,
    )
      .nullish()
      .describe('Each key fills {{attr.key}}. Stored attributes of a contact are not used.'),
    allowUnknown: z
      .boolean()
      .nullish()
      .describe(
        'True: braces that are not placeholders are sent as typed. Default: such an email is rejected.',
      ),
  })
  .refine(({ html, markdown }) => (html == null) !== (markdown == null), {
    path: ['html'],
    error: 'or markdown must be given, and not both',
  })
  .meta({
    id: 'NewSend',
    example: {
      newsletter: 'demo',
      to: 'ada@example.com',
      subject: 'Your receipt, {{name | dear customer}}',
      markdown: 'Order **{{attr.order}}** is on its way.',
      name: 'Ada',
      data: { order: 'A-17' },
    },
  })
export type NewSendRequest = z.infer<typeof NewSendRequest>

export const SendAccepted = z.object({ id: z.string(), status: z.literal('queued') }).meta({
  id: 'SendAccepted',
  example: { id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', status: 'queued' },
})
export type SendAccepted = z.infer<typeof SendAccepted>

export const SendStatus = z.enum([
  'queued',
  'sending',
  'sent',
  'failed',
  'skipped',
  'uncertain',
  'cancelled',
])
export type SendStatus = z.infer<typeof SendStatus>

export const SendReport = z
  .object({
    id: z.string(),
    status: SendStatus.describe(
      'sent: handed over to the mail server. uncertain: the connection was lost after the email was handed over, so it may have been sent; it is not retried.',
    ),
    to: z.string(),
    subject: z.string(),
    newsletter: z.string().nullable(),
    reason: z.string().nullable().describe('Why it failed, was skipped or is uncertain.'),
    createdAt: z.string(),
    sentAt: z.string().nullable(),
  })
  .meta({
    id: 'SendReport',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      status: 'sent',
      to: 'ada@example.com',
      subject: 'Your receipt, Ada',
      newsletter: 'demo',
      reason: null,
      createdAt: '2026-11-21T01:02:03.456Z',
      sentAt: '2026-11-21T01:02:03.789Z',
    },
  })
export type SendReport = z.infer<typeof SendReport>

export const SendLogItem = SendReport.extend({
  kind: z.enum(['confirmation', 'transactional', 'notice', 'welcome', 'test', 'system']),
  attempts: z.number().int(),
}).meta({ id: 'SendLogItem' })
export type SendLogItem = z.infer<typeof SendLogItem>

/** Kinds whose content people of the organization wrote. */
export const readableSendKinds: readonly SendLogItem['kind'][] = ['transactional', 'test']

export const SendContentState = z.enum(['stored', 'withheld', 'sealed', 'removed'])
export type SendContentState = z.infer<typeof SendContentState>

export const SendDetail = SendLogItem.extend({
  from: z.string(),
  fromName: z.string().nullable(),
  toName: z.string().nullable(),
  replyTo: z.string().nullable(),
  messageId: z.string(),
  finishedAt: z.string().nullable(),
  ...EmailHistory,
  content: SendContentState.describe(
    'stored: members and owners can read it. withheld: an email that Sluice wrote, whose links act for its recipient. sealed: encrypted until it is sent, because it has a link that works once. removed: no content is stored any more.',
  ),
  deletedAt: z
    .string()
    .nullable()
    .describe('When the email is deleted from the log, with its content. Null until it has ended.'),
}).meta({ id: 'SendDetail' })
export type SendDetail = z.infer<typeof SendDetail>

export const SendContent = z
  .object({
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    text: z.string(),
    hasHtml: z.boolean().describe('`content.html` shows the HTML part.'),
  })
  .meta({
    id: 'SendContent',
    example: {
      headers: [{ name: 'Subject', value: 'Your receipt, Ada' }],
      text: 'Order A-17 is on its way.\n',
      hasHtml: true,
    },
  })
export type SendContent = z.infer<typeof SendContent>

export const SendLogQuery = z.object({
  ...PageQuery,
  status: SendStatus.optional(),
  kind: SendLogItem.shape.kind.optional(),
  query: SearchText.optional().describe('Part of an address.'),
})
export type SendLogQuery = z.infer<typeof SendLogQuery>
export const SendLogPage = pageOf(SendLogItem).meta({ id: 'SendLogPage' })
