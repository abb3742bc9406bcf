/**
 * References that identify the email of a bounce. Every email has one in its Message-ID, which
 * providers and reports repeat, and in its envelope sender (VERP), to which servers reply even if
 * they quote nothing. Both contain the ids in lower-case base32, because mail servers change the
 * case of local parts, which have at most 64 characters.
 */
import { dashed, undashed } from '../ids.ts'

export type EmailRef =
  | { readonly kind: 'send'; readonly sendId: string }
  | { readonly kind: 'delivery'; readonly campaignId: string; readonly contactId: string }

/** `s` or `c`, followed by the ids: the part of a Message-ID before the @. */
export function formatEmailRef(ref: EmailRef): string {
  return ref.kind === 'send'
    ? `s${toBase32(undashed(ref.sendId))}`
    : `c${toBase32(undashed(ref.campaignId) + undashed(ref.contactId))}`
}

/** Of the digits of a delivery's reference these depend on the campaign alone, the next partly. */
const campaignDigits = 25
const firstContactBytes = ['00', '40', '80', 'c0'] as const

/** What the references of all emails of a campaign begin with: one of `starts`. */
export function campaignRefStarts(campaignId: string): { prefix: string; starts: string[] } {
  const refs = firstContactBytes.map((byte) => {
    const contactId = dashed(byte.padEnd(32, '0'))
    return formatEmailRef({ kind: 'delivery', campaignId, contactId })
  })
  return {
    prefix: refs[0]!.slice(0, 1 + campaignDigits),
    starts: refs.map((ref) => ref.slice(0, 2 + campaignDigits)),
  }
}

const emailRefPattern = /^(?:s[a-z2-7]{26}|c[a-z2-7]{52})$/

export function parseEmailRef(text: string): EmailRef | undefined {
  const lower = text.toLowerCase()
  if (!emailRefPattern.test(lower)) return undefined
  const hex = fromBase32(lower.slice(1))
  if (lower.startsWith('s')) return { kind: 'send', sendId: dashed(hex) }
  return {
    kind: 'delivery',
    campaignId: dashed(hex.slice(0, 32)),
    contactId: dashed(hex.slice(32)),
  }
}

/** The local part of the envelope sender, for a reference or what `formatEmailRef` returned. */
export function formatBounceSender(ref: EmailRef | string): string {
  return `b+${typeof ref === 'string' ? ref : formatEmailRef(ref)}`
}

/**
 * Finds the reference in an envelope sender, a Message-ID with or without brackets, or a bare
 * reference.
 */
export function findEmailRef(text: string): EmailRef | undefined {
  const [local = ''] = text.trim().replace(/^</, '').split('@', 1)
  return parseEmailRef(local.replace(/^b\+/i, ''))
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** RFC 4648 §6 without padding. Runs once for each email, so it avoids BigInt. */
function toBase32(hex: string): string {
  let text = ''
  let bits = 0
  let bitCount = 0
  for (const byte of Buffer.from(hex, 'hex')) {
    bits = ((bits << 8) | byte) & 0xfff
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      text += alphabet[(bits >> bitCount) & 31]
    }
  }
  return bitCount === 0 ? text : text + alphabet[(bits << (5 - bitCount)) & 31]
}

function fromBase32(text: string): string {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8))
  let bits = 0
  let bitCount = 0
  let length = 0
  for (const digit of text) {
    bits = ((bits << 5) | alphabet.indexOf(digit)) & 0xfff
    bitCount += 5
    if (bitCount < 8) continue
    bitCount -= 8
    bytes[length] = bits >> bitCount
    length += 1
  }
  return bytes.toString('hex')
}
