/**
 * The token of a link in a letter: it names the contact, and the campaign it came with, and is signed, so nothing has to be stored
 * and it never expires; people unsubscribe from mail that is years old. The first byte says how the rest is to be read, so that a
 * later form or another secret can stand beside this one.
 *
 *   version (1) | contact (16) | campaign, or zeros (16) | mac of all before (16)      -> base64url, 66 characters
 */
import { dashed, undashed } from '../ids.ts'

export interface ReaderIds {
  readonly contactId: string
  /** Null: the link stands in a letter that belongs to no campaign. */
  readonly campaignId: string | null
}

export interface ParsedReaderToken {
  readonly ids: ReaderIds
  /** What is signed, and the signature: nothing of `ids` is true before the two were checked. */
  readonly message: Uint8Array
  readonly mac: Uint8Array
}

/** The purpose for the SecretBox whose macs these are. */
export const readerLinkPurpose = 'reader link'

const version = 1
const idBytes = 16
const messageBytes = 1 + 2 * idBytes
const macBytes = 16
const tokenPattern = /^[A-Za-z0-9_-]{66}$/
const noCampaign = '0'.repeat(2 * idBytes)

export function formatReaderToken(
  ids: ReaderIds,
  mac: (message: Uint8Array) => Uint8Array,
): string {
  const campaign = ids.campaignId === null ? noCampaign : undashed(ids.campaignId)
  const message = Buffer.alloc(messageBytes)
  message[0] = version
  message.write(undashed(ids.contactId), 1, 'hex')
  message.write(campaign, 1 + idBytes, 'hex')
  return Buffer.concat([message, mac(message)]).toString('base64url')
}

export function parseReaderToken(text: string): ParsedReaderToken | undefined {
  if (!tokenPattern.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  // The last character has four bits to spare: one token has one spelling.
  if (bytes.length !== messageBytes + macBytes || bytes.toString('base64url') !== text)
    return undefined
  if (bytes[0] !== version) return undefined
  const message = bytes.subarray(0, messageBytes)
  const campaign = message.toString('hex', 1 + idBytes)
  return {
    ids: {
      contactId: dashed(message.toString('hex', 1, 1 + idBytes)),
      campaignId: campaign === noCampaign ? null : dashed(campaign),
    },
    message,
    mac: bytes.subarray(messageBytes),
  }
}
