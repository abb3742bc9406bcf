/**
 * The token of the links in alert emails that stop them: it names the person and the rule or the
 * issue, so that one click is enough, and never expires. It has the form of the other links in
 * emails (mail/contact-token.ts), and purposes of its own, so that one cannot be used as another.
 */
import { formatIdsToken, parseIdsToken } from './mail/contact-token.ts'

export const alertStopKinds = ['rule', 'issue'] as const
export type AlertStopKind = (typeof alertStopKinds)[number]

export interface AlertStopLink {
  readonly kind: AlertStopKind
  readonly personId: string
  /** Id of the rule or of the issue. */
  readonly subjectId: string
}

const firstBytes: Readonly<Record<AlertStopKind, number>> = { rule: 1, issue: 2 }

/** The purpose for SecretBox. */
export function alertStopPurpose(kind: AlertStopKind): string {
  return `alert stop link: ${kind}`
}

/** The path of the page that the link opens. */
export function alertStopPath(token: string): string {
  return `/alert-stop/${token}`
}

export function formatAlertStopToken(
  { kind, personId, subjectId }: AlertStopLink,
  mac: (purpose: string, message: Uint8Array) => Uint8Array,
): string {
  const ids = { contactId: personId, campaignId: subjectId }
  return formatIdsToken(firstBytes[kind], ids, (message) => mac(alertStopPurpose(kind), message))
}

/** Undefined if the text is not a token, or `isMac` rejects its signature. */
export function readAlertStopToken(
  text: string,
  isMac: (purpose: string, message: Uint8Array, mac: Uint8Array) => boolean,
): AlertStopLink | undefined {
  const parsed = parseIdsToken(text)
  if (parsed === undefined || parsed.ids.campaignId === null) return undefined
  const kind = alertStopKinds.find((one) => firstBytes[one] === parsed.firstByte)
  if (kind === undefined || !isMac(alertStopPurpose(kind), parsed.message, parsed.mac)) {
    return undefined
  }
  return { kind, personId: parsed.ids.contactId, subjectId: parsed.ids.campaignId }
}
