/**
 * Header fields of alert emails. Emails of one rule about one issue are a thread: all refer to a
 * message that was never sent and whose id is made from both (RFC 5322 §3.6.4), so that no email
 * has to know the one before.
 */
import { createHash } from 'node:crypto'

export interface HeaderOptions {
  readonly ruleId: string
  /** What the emails of a thread have in common, besides the rule. */
  readonly subject: string
  /** Domain of the sender. */
  readonly domain: string
  /** The one-click link; undefined if the recipient has none. */
  readonly stopUrl: string | undefined
}

export function alertHeaders(options: HeaderOptions): Readonly<Record<string, string>> {
  const { ruleId, subject, domain, stopUrl } = options
  const digest = createHash('sha256').update(`${ruleId} ${subject}`).digest('hex').slice(0, 32)
  const thread = `<alert.${digest}@${domain}>`
  return {
    'Auto-Submitted': 'auto-generated',
    'List-Id': `<${ruleId}.alerts.${domain}>`,
    'In-Reply-To': thread,
    References: thread,
    ...(stopUrl === undefined
      ? {}
      : {
          'List-Unsubscribe': `<${stopUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
  }
}
