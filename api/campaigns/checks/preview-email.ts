/** Fills an email for one contact as a preview. Its personal links do not work. */
import {
  type CompiledEmail,
  type Contact,
  contactValue,
  type FilledEmail,
  fillEmail,
  type Part,
} from '#schemas/mail/compiled-email.ts'

export interface PreviewedEmail extends FilledEmail {
  /** Placeholders of the email for which this contact has no value. */
  readonly missing: string[]
}

export function previewEmail(
  email: CompiledEmail,
  contact: Pick<Contact, 'name' | 'attribs'>,
  apiUrl: string,
): PreviewedEmail {
  const links = {
    unsubscribe: `${apiUrl}/u/preview`,
    preferences: `${apiUrl}/preferences/preview`,
    openPixel: `${apiUrl}/o/preview.gif`,
    clickBase: `${apiUrl}/c/preview`,
  }
  const missing = valuesOf(email).filter((value) => contactValue(contact, value) === '')
  return { ...fillEmail(email, { ...contact, links }), missing }
}

/** The values that the email uses, each once, in the order of the email. */
export function valuesOf(email: CompiledEmail): string[] {
  return [...new Set(allParts(email).flatMap((part) => valueNamed(part)))]
}

/** The values that have no fallback text for contacts without a value. */
export function valuesWithoutFallback(email: CompiledEmail): string[] {
  const bare = allParts(email).filter(
    (part) => typeof part !== 'string' && 'value' in part && part.fallback === '',
  )
  return [...new Set(bare.flatMap((part) => valueNamed(part)))]
}

function allParts(email: CompiledEmail): Part[] {
  return [...email.subject, ...email.html, ...email.text]
}

function valueNamed(part: Part): string[] {
  return typeof part !== 'string' && 'value' in part ? [part.value] : []
}
