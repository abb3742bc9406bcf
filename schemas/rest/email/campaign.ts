/**
 * Campaigns over the email API: creating a draft, listing what was sent (email-api: POST and GET
 * /api/v1/campaigns).
 */
import { z } from 'zod'
import { listLimitMax } from '../../limits.ts'
import { NewsletterName } from './address-text.ts'
import { emailFields, isOneBody, oneBodyRule } from './email-source.ts'

export const archiveSlugCharactersMax = 100
/** Paths of the archive that are not campaigns. */
export const reservedSlugs: ReadonlySet<string> = new Set(['feed'])
export const campaignsOffsetMax = 100_000

const ArchiveSlug = z
  .string()
  .trim()
  .max(archiveSlugCharactersMax, `must have at most ${archiveSlugCharactersMax} characters`)
  .regex(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/, 'must be words of a-z and 0-9, separated by hyphens')
  .refine((slug) => !reservedSlugs.has(slug), 'must not be a reserved path of the archive')
  .transform((slug) => (slug === '' ? undefined : slug))

export const campaignFields = {
  ...emailFields,
  archiveSlug: ArchiveSlug.nullish().describe(
    'Last part of the archive URL. Default: derived from the subject.',
  ),
} as const

export const NewCampaign = z
  .object({
    newsletter: NewsletterName,
    ...campaignFields,
  })
  .refine(isOneBody, oneBodyRule)
  .meta({
    id: 'NewCampaign',
    example: {
      newsletter: 'demo',
      subject: 'What is new, {{name | friend}}',
      previewText: 'Three things we shipped in November',
      markdown: '# November\n\nHello {{name | there}}, this is what we made.',
      archiveSlug: 'november',
    },
  })
export type NewCampaign = z.infer<typeof NewCampaign>

export const CreatedCampaign = z
  .object({
    id: z.string(),
    url: z.string().optional().describe('URL of its archive page; only if the archive is enabled.'),
    archiveSlug: z.string(),
  })
  .meta({
    id: 'CreatedCampaign',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      url: 'https://news.example.com/archive/demo/november',
      archiveSlug: 'november',
    },
  })
export type CreatedCampaign = z.infer<typeof CreatedCampaign>

export const SentCampaignQuery = z.object({
  newsletter: NewsletterName,
  limit: z.coerce.number().int().min(1).max(listLimitMax).default(listLimitMax),
  offset: z.coerce.number().int().min(0).max(campaignsOffsetMax).default(0),
})

export const SentCampaign = z.object({
  id: z.string(),
  subject: z.string(),
  previewText: z.string().nullable(),
  archiveSlug: z.string().nullable(),
  url: z.string().optional().describe('URL of its archive page; only if the archive is enabled.'),
  sentAt: z.string().describe('Time at which its sending started.'),
})

export const SentCampaignList = z
  .object({
    campaigns: z.array(SentCampaign),
    hasMore: z.boolean(),
    total: z.number().int(),
  })
  .meta({
    id: 'SentCampaignList',
    example: {
      campaigns: [
        {
          id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
          subject: 'What is new, {{name | friend}}',
          previewText: 'Three things we shipped in November',
          archiveSlug: 'november',
          url: 'https://news.example.com/archive/demo/november',
          sentAt: '2026-11-21T01:02:03.456Z',
        },
      ],
      hasMore: false,
      total: 1,
    },
  })
