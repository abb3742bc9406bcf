/**
 * The token of a link in an email to a subscriber. It names the contact and the campaign and is
 * signed, so nothing has to be stored. It never expires, because people unsubscribe from emails
 * that are years old. A token has one purpose, given by its first byte, and each purpose has its
 * own signing key, so that a link that others may see (a tracked click, the open pixel) cannot be
 * used for anything else.
 *
 *   purpose (1) | contact (16) | campaign, or zeros (16) | mac of all before (16)
 *
 * in base64url, 66 characters
 */
import { dashed, undashed } from '../ids.ts'

export interface ContactIds {
  readonly contactId: string
  /** Null: the link is in an email that belongs to no campaign. */
  readonly campaignId: string | null
}

/**
 * Kinds of links, each with its purpose:
 *
 * - `unsubscribe`: the link in the footer.
 * - `one_click`: the URL in the List-Unsubscribe header, which mailbox providers call.
 * - `preferences`: the page with the subscriber's name and newsletters.
 * - `click`: counts the click and redirects to the link's target.
 * - `open`: counts the open and returns the tracking pixel.
 */
export const contactTokenKinds = [
  'unsubscribe',
  'one_click',
  'preferences',
  'click',
  'open',
] as const
export type ContactTokenKind = (typeof contactTokenKinds)[number]

/** Tokens of older emails, in which all links had the same token. */
export const legacyTokenKind = 'legacy'

export interface ReadContactToken {
  readonly kind: ContactTokenKind | typeof legacyTokenKind
  readonly ids: ContactIds
}

const firstBytes: Readonly<Record<ReadContactToken['kind'], number>> = {
  legacy: 1,
  unsubscribe: 2,
  one_click: 3,
  preferences: 4,
  click: 5,
  open: 6,
}

/** The purpose under which SecretBox signs tokens of this kind. */
export function contactTokenPurpose(kind: ReadContactToken['kind']): string {
  return kind === legacyTokenKind ? 'reader link' : `reader link: ${kind}`
}

const idBytes = 16
const messageBytes = 1 + 2 * idBytes
const macBytes = 16
const tokenPattern = /^[A-Za-z0-9_-]{66}$/
const noCampaign = '0'.repeat(2 * idBytes)

export function formatContactToken(
  kind: ReadContactToken['kind'],
  ids: ContactIds,
  mac: (purpose: string, message: Uint8Array) => Uint8Array,
): string {
  return formatIdsToken(firstBytes[kind], ids, (message) => mac(contactTokenPurpose(kind), message))
}

/** Undefined if the text is not a token or was not signed by this installation. */
export function readContactToken(
  text: string,
  isMac: (purpose: string, message: Uint8Array, mac: Uint8Array) => boolean,
): ReadContactToken | undefined {
  const parsed = parseIdsToken(text)
  if (parsed === undefined) return undefined
  const { firstByte, ids, message, mac } = parsed
  const kind = kindOf(firstByte)
  if (kind === undefined || !isMac(contactTokenPurpose(kind), message, mac)) return undefined
  return { kind, ids }
}

function kindOf(firstByte: number): ReadContactToken['kind'] | undefined {
  return ([legacyTokenKind, ...contactTokenKinds] as const).find(
    (kind) => firstBytes[kind] === firstByte,
  )
}

export interface ParsedIdsToken {
  readonly firstByte: number
  readonly ids: ContactIds
  /** The signed bytes and their signature. Verify the signature before you use `ids`. */
  readonly message: Uint8Array
  readonly mac: Uint8Array
}

/**
 * The common form of all signed links. The caller is responsible for the purpose of the signature.
 */
export function formatIdsToken(
  firstByte: number,
  ids: ContactIds,
  mac: (message: Uint8Array) => Uint8Array,
): string {
  const campaign = ids.campaignId === null ? noCampaign : undashed(ids.campaignId)
  const message = Buffer.alloc(messageBytes)
  message[0] = firstByte
  message.write(undashed(ids.contactId), 1, 'hex')
  message.write(campaign, 1 + idBytes, 'hex')
  return Buffer.concat([message, mac(message)]).toString('base64url')
}

export function parseIdsToken(text: string): ParsedIdsToken | undefined {
  if (!tokenPattern.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  // The last character has four unused bits; comparing the text ensures that a token has only one
  // spelling.
  if (bytes.length !== messageBytes + macBytes || bytes.toString('base64url') !== text)
    return undefined
  const message = bytes.subarray(0, messageBytes)
  const campaign = message.toString('hex', 1 + idBytes)
  return {
    firstByte: bytes[0]!,
    ids: {
      contactId: dashed(message.toString('hex', 1, 1 + idBytes)),
      campaignId: campaign === noCampaign ? null : dashed(campaign),
    },
    message,
    mac: bytes.subarray(messageBytes),
  }
}
