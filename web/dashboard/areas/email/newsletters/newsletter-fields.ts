/** The settings of a newsletter as a form holds them: texts and booleans, null as a blank text. */

export interface NewsletterForm {
  readonly name: string
  readonly description: string
  readonly from_name: string
  readonly from_address: string
  readonly reply_to: string
  readonly confirm_signups: boolean
  readonly confirm_redirect_url: string
  readonly welcome_enabled: boolean
  readonly welcome_subject: string
  readonly welcome_markdown: string
  readonly archive_enabled: boolean
  readonly archive_noindex: boolean
  readonly track_opens: boolean
  readonly track_clicks: boolean
  readonly track_readers: boolean
  readonly postal_address: string
  readonly logo_url: string
  readonly footer: string
  readonly locale: string
}

type Stored = {
  readonly [K in keyof NewsletterForm]: NewsletterForm[K] extends boolean ? boolean : string | null
}

/** Fields that always have a value. */
const required: ReadonlySet<string> = new Set(['name', 'from_address', 'locale'])

const names = [
  'name',
  'description',
  'from_name',
  'from_address',
  'reply_to',
  'confirm_signups',
  'confirm_redirect_url',
  'welcome_enabled',
  'welcome_subject',
  'welcome_markdown',
  'archive_enabled',
  'archive_noindex',
  'track_opens',
  'track_clicks',
  'track_readers',
  'postal_address',
  'logo_url',
  'footer',
  'locale',
] as const satisfies readonly (keyof NewsletterForm)[]

export function formOfNewsletter(stored: Stored): NewsletterForm {
  return Object.fromEntries(names.map((name) => [name, stored[name] ?? ''])) as never
}

/** Only what differs, with null for texts that were emptied. */
export function changesOf(
  before: NewsletterForm,
  after: NewsletterForm,
): Partial<Record<keyof NewsletterForm, string | boolean | null>> {
  const changed = names.filter((name) => before[name] !== after[name])
  return Object.fromEntries(
    changed.map((name) => {
      const value = after[name]
      return [name, value === '' && !required.has(name) ? null : value]
    }),
  )
}
