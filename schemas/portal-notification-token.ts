/**
 * The token of the unsubscribe link in every email of a portal. It names the portal and the
 * address, so that one click unsubscribes, and never expires. It has the form of the other links in
 * emails (mail/contact-token.ts), and a purpose of its own, so that one cannot be used as the
 * other.
 */
import { formatIdsToken, parseIdsToken } from './mail/contact-token.ts'

/** The purpose for SecretBox. */
export const notificationLinkPurpose = 'portal notice link'

const firstByte = 1

export interface NotificationLink {
  readonly projectId: string
  /** Id of the address in `addresses`. */
  readonly addressId: string
}

export function formatNotificationToken(
  { projectId, addressId }: NotificationLink,
  mac: (message: Uint8Array) => Uint8Array,
): string {
  return formatIdsToken(firstByte, { contactId: addressId, campaignId: projectId }, mac)
}

/** Undefined if the text is not a token, or `isMac` rejects its signature. */
export function readNotificationToken(
  text: string,
  isMac: (message: Uint8Array, mac: Uint8Array) => boolean,
): NotificationLink | undefined {
  const parsed = parseIdsToken(text)
  if (parsed?.firstByte !== firstByte || parsed.ids.campaignId === null) return undefined
  if (!isMac(parsed.message, parsed.mac)) return undefined
  return { projectId: parsed.ids.campaignId, addressId: parsed.ids.contactId }
}
