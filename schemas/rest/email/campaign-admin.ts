/** Administration of campaigns: drafts, previews, preflight checks, tracking. */
import { z } from 'zod'
import { Instant, PageQuery, pageOf } from '../page.ts'
import { AddressText, IdText } from './address-text.ts'
import { archiveSlugCharactersMax, campaignFields } from './campaign.ts'
import { Attribs, ContactName } from './contact.ts'

export const CampaignState = z.enum([
  'draft',
  'scheduled',
  'preparing',
  'sending',
  'paused',
  'sent',
  'cancelled',
  'failed',
])
export type CampaignState = z.infer<typeof CampaignState>

const count = z.number().int()

/** What became of the emails of a campaign whose sending has begun. */
export const CampaignCounts = z.object({
  audience: count,
  waiting: count,
  sent: count,
  failed: count,
  bounced: count,
  complained: count,
  opens: count.describe('Without those of machines.'),
  clicks: count.describe('Without those of machines.'),
})

export const CampaignItem = z.object({
  id: z.string(),
  newsletter: z.string(),
  state: CampaignState,
  subject: z.string(),
  previewText: z.string().nullable(),
  archiveSlug: z.string().max(archiveSlugCharactersMax),
  url: z.string().optional(),
  createdBy: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  scheduledAt: z.string().nullable(),
  sentAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  reason: z.string().nullable(),
  counts: CampaignCounts.nullable().describe('Null before its sending has begun.'),
})

const campaignExample = {
  id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
  newsletter: 'demo',
  state: 'draft',
  subject: 'What is new, {{name | friend}}',
  previewText: null,
  archiveSlug: 'what-is-new',
  url: 'https://news.example.com/archive/demo/what-is-new',
  createdBy: 'ada@example.com',
  createdAt: '2026-11-21T01:02:03.456Z',
  updatedAt: '2026-11-21T01:02:03.456Z',
  scheduledAt: null,
  sentAt: null,
  finishedAt: null,
  reason: null,
  counts: null,
} as const

export const CampaignDetail = CampaignItem.extend({
  html: z.string().nullable(),
  markdown: z.string().nullable(),
}).meta({
  id: 'CampaignDetail',
  example: { ...campaignExample, html: null, markdown: '# November\n\nHello {{name | there}}.' },
})
export type CampaignDetail = z.infer<typeof CampaignDetail>

export const CampaignPage = pageOf(CampaignItem).meta({
  id: 'CampaignPage',
  example: { items: [campaignExample], next_cursor: null },
})

export const CampaignListQuery = z.object({
  ...PageQuery,
  newsletter: z.string().min(1).max(100).optional(),
  state: z
    .string()
    .max(100)
    .optional()
    .describe(`Any of ${CampaignState.options.join(', ')}, comma separated.`)
    .transform((list, check): CampaignState[] | undefined => {
      if (list === undefined) return undefined
      const states = z.array(CampaignState).safeParse([...new Set(list.split(','))])
      if (states.success) return states.data
      check.addIssue(`must be a list of ${CampaignState.options.join(', ')}`)
      return z.NEVER
    }),
})

/**
 * Omitted fields keep their values. `html` replaces `markdown`, and vice versa.
 */
export const CampaignChange = z
  .object({
    subject: campaignFields.subject.optional(),
    previewText: campaignFields.previewText,
    html: campaignFields.html,
    markdown: campaignFields.markdown,
    archiveSlug: campaignFields.archiveSlug,
    ifUpdatedAt: Instant.optional().describe(
      '`updatedAt` of the draft that was edited: the change is refused with 409 `changed_meanwhile` if somebody else has changed the draft since.',
    ),
  })
  .refine(({ html, markdown }) => !(html && markdown), {
    error: 'must not be given together with markdown',
    path: ['html'],
  })
  .meta({ id: 'CampaignChange', example: { subject: 'What is new' } })
export type CampaignChange = z.infer<typeof CampaignChange>

export const PreviewRequest = z
  .object({
    contactId: IdText.nullish().describe('Id of the contact whose values fill the placeholders.'),
    name: ContactName.nullish(),
    attribs: Attribs.nullish(),
    draft: CampaignChange.nullish().describe(
      'Previewed instead of the stored draft; nothing is saved.',
    ),
  })
  .meta({ id: 'PreviewRequest', example: { name: 'Ada', attribs: { city: 'London' } } })

export const PreviewReply = z
  .object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    missing: z.array(z.string()).describe('Placeholders for which this contact has no value.'),
    warnings: z.array(z.string()),
  })
  .meta({
    id: 'PreviewReply',
    example: {
      subject: 'What is new, Ada',
      html: '<!doctype html>…',
      text: 'Hello Ada …',
      missing: ['attr.plan'],
      warnings: [],
    },
  })

export const PreviewDocumentQuery = z.object({
  contactId: z.uuid().optional().describe('The contact whose values fill the placeholders.'),
  scheme: z
    .enum(['light', 'dark'])
    .default('light')
    .describe('The color scheme of the mail client that is imitated.'),
  images: z
    .enum(['load', 'block'])
    .default('block')
    .describe('Whether images of other servers are loaded.'),
})

export const Check = z.object({
  name: z.string(),
  level: z.enum(['ok', 'warning', 'error']),
  sentence: z.string(),
})
export type Check = z.infer<typeof Check>

export const Preflight = z
  .object({
    ready: z.boolean().describe('False while a check says `error`.'),
    audience: z.object({
      subscribed: z.number().int(),
      suppressed: z
        .number()
        .int()
        .describe('Subscribed contacts that are suppressed and get no emails.'),
      receiving: z.number().int(),
    }),
    htmlBytes: z.number().int(),
    checks: z.array(Check),
  })
  .meta({
    id: 'Preflight',
    example: {
      ready: true,
      audience: { subscribed: 12_400, suppressed: 55, receiving: 12_345 },
      htmlBytes: 18_220,
      checks: [
        { name: 'unsubscribe', level: 'ok', sentence: 'The email contains an unsubscribe link.' },
      ],
    },
  })
export type Preflight = z.infer<typeof Preflight>

export const TestRequest = z
  .object({
    to: AddressText.nullish().describe('Default: your own address.'),
    name: ContactName.nullish(),
    attribs: Attribs.nullish(),
  })
  .meta({ id: 'TestRequest', example: { to: 'ada@example.com' } })

export const TestReply = z
  .object({ id: z.string(), to: z.string(), status: z.literal('queued') })
  .meta({
    id: 'TestReply',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      to: 'ada@example.com',
      status: 'queued',
    },
  })

export const TrackingReport = z
  .object({
    opens: z.object({ human: z.number().int(), total: z.number().int() }),
    clicks: z.object({ human: z.number().int(), total: z.number().int() }),
    links: z.array(z.object({ url: z.string(), human: z.number().int(), total: z.number().int() })),
  })
  .meta({
    id: 'TrackingReport',
    description:
      'Opens are an upper bound, because proxies of mail clients load images of emails that nobody opened.',
    example: {
      opens: { human: 5_120, total: 7_990 },
      clicks: { human: 640, total: 912 },
      links: [{ url: 'https://example.com/new', human: 640, total: 912 }],
    },
  })

export const resultSteps = ['hour', 'day'] as const

/** What a campaign has achieved, for one page. */
export const CampaignResults = z
  .object({
    tracks: z.object({
      opens: z.boolean(),
      clicks: z.boolean(),
      contacts: z.boolean().describe('Whether hits are stored with the contact.'),
    }),
    opens: z.object({ human: count, total: count }),
    clicks: z.object({ human: count, total: count }),
    unsubscribes: count.describe(
      'Contacts that unsubscribed with a link of this campaign and are still unsubscribed.',
    ),
    people: z
      .object({ opened: count, clicked: count })
      .nullable()
      .describe('Different contacts, of hits that are still stored. Null: not tracked.'),
    links: z.array(z.object({ url: z.string(), human: count, total: count })),
    step: z.enum(resultSteps).describe('Length of a point: an hour for the first three days.'),
    series: z
      .array(
        z.object({
          at: z.string(),
          sent: count.describe('Emails that the mail server accepted.'),
          opens: count,
          clicks: count,
          unsubscribes: count,
          hardBounces: count,
          softBounces: count,
          complaints: count,
        }),
      )
      .describe(
        'At most 400 points, from the start of the sending, without hits of machines. Of each email the first bounce and the first complaint that count.',
      ),
    hitsExpired: z.boolean().describe('Some hits were deleted by the retention period.'),
  })
  .meta({
    id: 'CampaignResults',
    example: {
      tracks: { opens: true, clicks: true, contacts: false },
      opens: { human: 5_120, total: 7_990 },
      clicks: { human: 640, total: 912 },
      unsubscribes: 12,
      people: null,
      links: [{ url: 'https://example.com/new', human: 640, total: 912 }],
      step: 'hour',
      series: [
        {
          at: '2026-11-21T01:00:00.000Z',
          sent: 9_954,
          opens: 812,
          clicks: 96,
          unsubscribes: 2,
          hardBounces: 4,
          softBounces: 1,
          complaints: 0,
        },
      ],
      hitsExpired: false,
    },
  })
export type CampaignResults = z.infer<typeof CampaignResults>
