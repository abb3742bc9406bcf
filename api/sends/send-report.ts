import type { SendLogItem, SendReport, SendStatus } from '#schemas/rest/email/send.ts'
import type { SendState, StoredSend } from './send-log-store.ts'

/** Callers see one status for the two steps in which a mail process has the email. */
export const statusOf: Readonly<Record<SendState, SendStatus>> = {
  queued: 'queued',
  claimed: 'sending',
  handed_over: 'sending',
  sent: 'sent',
  failed: 'failed',
  skipped: 'skipped',
  uncertain: 'uncertain',
  cancelled: 'cancelled',
}

export function statesOf(status: SendStatus): SendState[] {
  const states = Object.keys(statusOf) as SendState[]
  return states.filter((state) => statusOf[state] === status)
}

export function reportSend(send: StoredSend): SendReport {
  return {
    id: send.id,
    status: statusOf[send.state],
    to: send.to,
    subject: send.subject,
    newsletter: send.newsletter,
    reason: send.reason,
    createdAt: send.createdAt.toISOString(),
    sentAt: send.state === 'sent' ? (send.finishedAt?.toISOString() ?? null) : null,
  }
}

export function logItemOf(send: StoredSend): SendLogItem {
  return { ...reportSend(send), kind: send.kind, attempts: send.attempts }
}
