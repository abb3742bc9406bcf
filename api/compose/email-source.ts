/** The input and the result of composing an email. */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'

export interface EmailSource {
  readonly subject: string
  readonly previewText?: string | null | undefined
  /** Exactly one of `html` and `markdown` is a string. */
  readonly html?: string | null | undefined
  readonly markdown?: string | null | undefined
}

/** A transactional email has neither tracking nor list links nor a footer. */
export type EmailFrame = { readonly kind: 'send'; readonly locale?: string } | CampaignFrame

export interface CampaignFrame {
  readonly kind: 'campaign'
  readonly newsletter: FramingNewsletter
  /** Where the campaign can be read on the web; undefined when the archive is off. */
  readonly archiveUrl: string | undefined
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
}

export interface FramingNewsletter {
  readonly name: string
  readonly locale: string
  readonly logoUrl: string | null
  /** Markdown. */
  readonly footer: string | null
  readonly postalAddress: string | null
}

export interface ComposedEmail {
  readonly email: CompiledEmail
  /** Targets of counted clicks, by index; empty when clicks are not counted. */
  readonly links: string[]
  /** Warnings for the author, as sentences. */
  readonly warnings: string[]
}
