/** The fields of the branding as they are typed, and as the API takes them. */
import { type Branding, plainBranding } from '../portal-settings.ts'

/** Texts are never null, so that fields can hold what is being typed. */
export interface BrandingDraft {
  readonly title: string
  readonly description: string
  readonly logo_url: string
  readonly favicon_url: string
  readonly primary_color: string
  readonly accent_color: string
  readonly footer_text: string
  readonly custom_css: string
  readonly locale: string
  readonly theme: Branding['theme']
  readonly allow_suggestions: boolean
  readonly allow_comments: boolean
  readonly show_powered_by: boolean
  readonly links: Branding['links']
}

const texts = [
  'title',
  'description',
  'logo_url',
  'favicon_url',
  'primary_color',
  'accent_color',
  'footer_text',
  'custom_css',
] as const

export function draftOf(saved: Branding | null): BrandingDraft {
  const branding = saved ?? plainBranding
  const filled = Object.fromEntries(texts.map((name) => [name, branding[name] ?? '']))
  return { ...branding, ...filled } as BrandingDraft
}

/** Empty texts are null; rows of links without any text are left out. */
export function brandingOf(draft: BrandingDraft): Branding {
  const given = Object.fromEntries(
    texts.map((name) => [name, draft[name].trim() === '' ? null : draft[name].trim()]),
  )
  const links = draft.links.filter(({ label, url }) => label.trim() !== '' || url.trim() !== '')
  return { ...draft, ...given, locale: draft.locale.trim() || 'en', links } as Branding
}

const colorPattern = /^#[0-9a-f]{6}$/i

/**
 * The part of a draft that can be shown while the person types: fields that are not complete yet
 * are left out and appear as they are saved.
 */
export function shownBranding(draft: BrandingDraft): Partial<Branding> {
  const branding = brandingOf(draft)
  const isHttps = (url: string | null) => url === null || isHttpsUrl(url)
  const isColor = (color: string | null) => color === null || colorPattern.test(color)
  const incomplete = new Set<keyof Branding>()
  for (const name of ['logo_url', 'favicon_url'] as const) {
    if (!isHttps(branding[name])) incomplete.add(name)
  }
  for (const name of ['primary_color', 'accent_color'] as const) {
    if (!isColor(branding[name])) incomplete.add(name)
  }
  if (!/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(branding.locale)) incomplete.add('locale')
  const links = branding.links.filter(({ label, url }) => label.trim() !== '' && isHttpsUrl(url))
  const shown = Object.entries({ ...branding, links }).filter(
    ([name]) => !incomplete.has(name as keyof Branding),
  )
  return Object.fromEntries(shown) as Partial<Branding>
}

function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

export function isSameBranding(one: BrandingDraft, other: BrandingDraft): boolean {
  return JSON.stringify(brandingOf(one)) === JSON.stringify(brandingOf(other))
}
