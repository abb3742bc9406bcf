/**
 * The link below every letter of a portal: it names the portal and the mailbox, so that one click
 * stops the mails, and never expires. Its form is that of the other links in letters
 * (mail/reader-token.ts); the purpose keeps one from standing in for the other.
 */
import { formatIdsToken, parseIdsToken } from './mail/contact-token.ts'

/** The purpose for the SecretBox whose macs these are. */
export const notificationLinkPurpose = 'portal notice link'

const firstByte = 1

export interface NotificationLink {
  readonly projectId: string
  /** The mailbox's row in `addresses`. */
  readonly addressId: string
}

export function formatNotificationToken(
  { projectId, addressId }: NotificationLink,
  mac: (message: Uint8Array) => Uint8Array,
): string {
  return formatIdsToken(firstByte, { contactId: addressId, campaignId: projectId }, mac)
}

/** Undefined: no such token, or `isMac` says that none of ours. */
export function readNotificationToken(
  text: string,
  isMac: (message: Uint8Array, mac: Uint8Array) => boolean,
): NotificationLink | undefined {
  const parsed = parseIdsToken(text)
  if (parsed?.firstByte !== firstByte || parsed.ids.campaignId === null) return undefined
  if (!isMac(parsed.message, parsed.mac)) return undefined
  return { projectId: parsed.ids.campaignId, addressId: parsed.ids.contactId }
}
