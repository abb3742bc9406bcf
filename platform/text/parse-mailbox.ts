/**
 * Parses the mailbox in MAIL_FROM (RFC 5322 §3.4): `sluice@example.com`, `Sluice
 * <sluice@example.com>` or `"Sluice, Inc." <sluice@example.com>`. Unlike addresses in the public
 * API, its domain may be a single label, because the default is `sluice@localhost` and servers of a
 * local network have such names.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'

export type ParsedMailbox =
  | { readonly kind: 'mailbox'; readonly mailbox: Mailbox }
  | { readonly kind: 'invalid'; readonly rule: string }

/**
 * A header line has at most 998 bytes (RFC 5322 §2.1.1); much longer names are of no practical use.
 */
export const mailboxCharactersMax = 320

const controls = /[\p{Cc}\u2028\u2029]/u
const singleLabel = /@([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/i
/**
 * The inside of a quoted string: any character, with quotes and backslashes escaped by a backslash.
 */
const quotedText = /^(?:[^"\\]|\\.)*$/su

export function parseMailbox(text: string): ParsedMailbox {
  const typed = text.trim()
  if (mailboxCharactersMax < typed.length) {
    return invalid(`must have at most ${mailboxCharactersMax} characters`)
  }
  if (controls.test(typed)) return invalid('must not contain control characters')
  if (!typed.isWellFormed()) return invalid('must be well-formed Unicode')
  if (!typed.endsWith('>')) return mailboxOf(null, typed)
  const opening = typed.lastIndexOf('<')
  if (opening === -1) return invalid('must have the form Name <address>')
  const name = parseName(typed.slice(0, opening).trim())
  if (name === undefined) {
    return invalid('must have a name without quotes and angle brackets, or one in double quotes')
  }
  return mailboxOf(name === '' ? null : name, typed.slice(opening + 1, -1).trim())
}

/** Undefined if the name is invalid. */
function parseName(text: string): string | undefined {
  const inner = text.length >= 2 && text.startsWith('"') && text.endsWith('"') && text.slice(1, -1)
  if (inner !== false) {
    return quotedText.test(inner) ? inner.replace(/\\(.)/gsu, '$1').trim() : undefined
  }
  return /["<>]/.test(text) ? undefined : text
}

function mailboxOf(name: string | null, address: string): ParsedMailbox {
  // Applies the rules of public addresses to a single label by adding a second one.
  const label = singleLabel.exec(address)?.[1]
  const parsed = parseEmailAddress(label === undefined ? address : `${address}.test`)
  if (parsed.kind === 'invalid') return invalid(`must contain an email address (${parsed.rule})`)
  const email = label === undefined ? parsed.email : parsed.email.slice(0, -'.test'.length)
  return { kind: 'mailbox', mailbox: { name, email } }
}

function invalid(rule: string): ParsedMailbox {
  return { kind: 'invalid', rule }
}
