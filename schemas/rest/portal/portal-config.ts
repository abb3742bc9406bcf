/** Branding of a portal, as people save it and as replies of the portal contain it. */
import { z } from 'zod'
import { plainText } from '../../plain-text.ts'

const cssBytesMax = 20_000
const linksMax = 20

const Color = z
  .string()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'must be a colour like #1a2b3c')

const HttpsUrl = z
  .string()
  .max(2_000)
  .refine((text) => isHttpsUrl(text), 'must be an https URL without a user name')
  .transform((text) => new URL(text).href)

function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/**
 * A stylesheet of the hosted page only. It may not load other resources, and may not end a style
 * element.
 */
const CustomCss = z
  .string()
  .max(cssBytesMax)
  .refine((css) => !css.includes('\0'), 'must not contain a NUL character')
  .refine(
    (css) => !/@import|url\s*\(|image-set\s*\(|image\s*\(|expression\s*\(|<\/|\\/i.test(css),
    'must not contain @import, url(), image-set(), image(), expression(), </ or a backslash',
  )

const fields = {
  title: plainText(100).pipe(z.string().min(1)).nullable(),
  description: plainText(1_000).nullable(),
  logo_url: HttpsUrl.nullable(),
  favicon_url: HttpsUrl.nullable(),
  primary_color: Color.nullable(),
  accent_color: Color.nullable(),
  theme: z.enum(['light', 'dark', 'auto']),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language tag like en or pt-BR'),
  allow_suggestions: z.boolean(),
  allow_comments: z.boolean(),
  footer_text: plainText(500).nullable(),
  links: z
    .array(z.object({ label: plainText(50).pipe(z.string().min(1)), url: HttpsUrl }))
    .max(linksMax),
  show_powered_by: z.boolean(),
  custom_css: CustomCss.nullable(),
}

/** The stored branding, with a default for every field. */
export const Branding = z.object({
  title: fields.title.default(null),
  description: fields.description.default(null),
  logo_url: fields.logo_url.default(null),
  favicon_url: fields.favicon_url.default(null),
  primary_color: fields.primary_color.default(null),
  accent_color: fields.accent_color.default(null),
  theme: fields.theme.default('auto'),
  locale: fields.locale.default('en'),
  allow_suggestions: fields.allow_suggestions.default(true),
  allow_comments: fields.allow_comments.default(true),
  footer_text: fields.footer_text.default(null),
  links: fields.links.default([]),
  show_powered_by: fields.show_powered_by.default(true),
  custom_css: fields.custom_css.default(null),
})
export type Branding = z.infer<typeof Branding>

/** Omitted fields stay unchanged. */
export const BrandingChange = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'BrandingChange', example: { title: 'Acme ideas', primary_color: '#3355ff' } })
export type BrandingChange = z.infer<typeof BrandingChange>

export const PortalConfig = z
  .object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    logo_url: z.string().nullable(),
    favicon_url: z.string().nullable(),
    primary_color: z.string().nullable(),
    accent_color: z.string().nullable(),
    theme: z.enum(['light', 'dark', 'auto']),
    locale: z.string(),
    allow_suggestions: z.boolean(),
    allow_comments: z.boolean(),
    require_token: z.boolean().describe('Writes need a signed token of the user.'),
    moderation: z.enum(['off', 'ideas', 'all']),
    footer_text: z.string().nullable(),
    links: z.array(z.object({ label: z.string(), url: z.string() })),
    show_powered_by: z.boolean(),
    custom_css: z.string().nullable(),
  })
  .meta({
    id: 'PortalConfig',
    example: {
      title: 'Acme ideas',
      description: 'What should we build next?',
      logo_url: 'https://acme.example/logo.svg',
      favicon_url: null,
      primary_color: '#3355ff',
      accent_color: null,
      theme: 'auto',
      locale: 'en',
      allow_suggestions: true,
      allow_comments: true,
      require_token: false,
      moderation: 'off',
      footer_text: null,
      links: [{ label: 'Acme', url: 'https://acme.example/' }],
      show_powered_by: true,
      custom_css: null,
    },
  })
export type PortalConfig = z.infer<typeof PortalConfig>

/** Undefined if no branding is saved: replies then omit it (portal-feedback-api: portal_config). */
export function portalConfigOf(settings: {
  readonly branding: Readonly<Record<string, unknown>> | null
  readonly enduserAuth: boolean
  readonly moderation: PortalConfig['moderation']
}): PortalConfig | undefined {
  if (settings.branding === null) return undefined
  const { branding, enduserAuth, moderation } = settings
  return { ...Branding.parse(branding), require_token: enduserAuth, moderation }
}
