/**
 * The token of a link in an email to a subscriber: it names the contact and the campaign it came
 * with, and is signed, so nothing has to be stored and it never expires; people unsubscribe from
 * emails that are years old. A token has one purpose: its first byte says which, and each purpose
 * signs with a key of its own, so that a link which others get to see (a tracked click, the open
 * pixel) opens nothing else.
 *
 *   purpose (1) | contact (16) | campaign, or zeros (16) | mac of all before (16)      -> base64url, 66 characters
 */
import { dashed, undashed } from '../ids.ts'

export interface ContactIds {
  readonly contactId: string
  /** Null: the link stands in an email that belongs to no campaign. */
  readonly campaignId: string | null
}

/**
 * - `unsubscribe`: the link in the footer. `one_click`: the List-Unsubscribe header, which mailbox
 *   providers call.
 * - `preferences`: the page with the subscriber's name and newsletters.
 * - `click`, `open`: count, and redirect.
 */
export const contactTokenKinds = [
  'unsubscribe',
  'one_click',
  'preferences',
  'click',
  'open',
] as const
export type ContactTokenKind = (typeof contactTokenKinds)[number]

/** Tokens of emails that were sent when all links of an email had the same one. */
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

/** The purpose for the SecretBox whose macs these are. */
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

/** Undefined: not a token, or one that this installation did not sign. */
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
  /** What is signed, and the signature: nothing of `ids` is true before the two were checked. */
  readonly message: Uint8Array
  readonly mac: Uint8Array
}

/** The form that all signed links share. Who calls it answers for the purpose of the mac. */
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
  // The last character has four bits to spare: one token has one spelling.
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
