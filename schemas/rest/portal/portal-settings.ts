/** Settings of a portal: allowed origins, moderation, end-user auth, limits. */
import { z } from 'zod'
import { AllowedOrigin } from '../../allowed-origin.ts'
import { BrandingChange, PortalConfig } from './portal-config.ts'

const originsMax = 100
const linksMaxMax = 100
const suggestionsPerHourMaxMax = 10_000
const votesPerMinuteMin = 5
const votesPerMinuteMaxMax = 1_000

const moderationModes = z
  .enum(['off', 'ideas', 'all'])
  .describe('What a moderator must approve: nothing (off), ideas, or ideas and comments (all).')

export const PortalSettingsView = z
  .object({
    project_id: z.string(),
    project_key: z.string().describe('Part of the path of the public portal.'),
    name: z.string(),
    allowed_origins: z
      .array(z.string())
      .describe('Origins of pages that may call the portal; empty: any.'),
    moderation: moderationModes,
    enduser_auth: z.boolean().describe('Whether writes need a signed token of the user.'),
    reads_need_token: z
      .boolean()
      .describe('Whether reads show own votes only with a signed token.'),
    search_language: z.string(),
    branding: PortalConfig.omit({ require_token: true, moderation: true })
      .nullable()
      .describe('Null: no branding is saved, and replies omit it.'),
    links_max: z.number().int().describe('A text with more links is pending.'),
    suggestions_per_hour_max: z
      .number()
      .int()
      .describe('Suggestions an hour for the whole portal.'),
    votes_per_minute_max: z
      .number()
      .int()
      .describe('Votes a minute from one client address; raise it for offices that share one.'),
    live_secrets: z.number().int().describe('Secrets that are not retired; at most two.'),
  })
  .meta({ id: 'PortalSettings' })
export type PortalSettingsView = z.infer<typeof PortalSettingsView>

export const PortalSettingsChange = z
  .object({
    allowed_origins: z.array(AllowedOrigin).max(originsMax),
    moderation: moderationModes,
    enduser_auth: z.boolean(),
    reads_need_token: z.boolean(),
    search_language: z
      .string()
      .regex(/^[a-z_]{1,60}$/, 'must be a search configuration of Postgres, such as english'),
    branding: BrandingChange.nullable().describe(
      'Omitted fields stay unchanged; null removes the branding.',
    ),
    links_max: z.number().int().min(0).max(linksMaxMax),
    suggestions_per_hour_max: z.number().int().min(1).max(suggestionsPerHourMaxMax),
    votes_per_minute_max: z.number().int().min(votesPerMinuteMin).max(votesPerMinuteMaxMax),
  })
  .partial()
  .meta({
    id: 'PortalSettingsChange',
    example: { allowed_origins: ['https://app.example.com'], moderation: 'ideas' },
  })
export type PortalSettingsChange = z.infer<typeof PortalSettingsChange>

export const BrandingToPreview = z
  .object({
    branding: BrandingChange.describe('Omitted fields are shown as they are saved.'),
  })
  .meta({
    id: 'BrandingToPreview',
    example: { branding: { title: 'Acme ideas', primary_color: '#3355ff' } },
  })

export const BrandingPreviewReply = z
  .object({
    path: z.string().describe('Path and query of the page, for the source of a frame.'),
    expires_at: z.string(),
    omits_css: z
      .boolean()
      .describe('The stylesheet is too long for a URL, so the preview is without it.'),
  })
  .meta({ id: 'BrandingPreview' })

export const EndUserSecret = z
  .object({
    id: z.string(),
    prefix: z.string().describe('First characters of the secret, to tell two of them apart.'),
    created_at: z.string(),
    retired_at: z.string().nullable().describe('Time from which its tokens are not valid.'),
  })
  .meta({ id: 'EndUserSecret' })
export type EndUserSecret = z.infer<typeof EndUserSecret>

export const NewEndUserSecret = EndUserSecret.extend({
  secret: z
    .string()
    .describe('Only this reply contains it. The key is this text as UTF-8, not decoded.'),
}).meta({ id: 'NewEndUserSecret' })

export const EndUserSecretList = z.object({ items: z.array(EndUserSecret) })

export const TokenToTry = z
  .object({ token: z.string().min(1).max(10_000) })
  .meta({ id: 'TokenToTry', example: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2ln' } })

export const TriedToken = z
  .object({
    valid: z.boolean(),
    code: z.enum(['token_invalid', 'token_expired']).optional(),
    reason: z.string().optional().describe('Why the token is not valid.'),
    enduser_id: z.string().optional(),
    email: z.string().optional(),
    name: z.string().optional(),
  })
  .meta({ id: 'TriedToken', example: { valid: true, enduser_id: '42', email: 'ada@example.com' } })
export type TriedToken = z.infer<typeof TriedToken>
