/**
 * Ledger of single emails: one lane for emails that somebody waits for, one for notifications, each
 * with its own claims.
 */
import type { Clock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { type EmailRef, formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import { EmailBody, emailBodyPurpose } from '#schemas/mail/email-body.ts'
import { domainOf } from '../domain-holds.ts'
import type { EmailEnd, EmailEnds } from '../email-ends.ts'
import type { FromDomains } from '../from-domains.ts'
import { takeTokens, transportName } from '../mail-transport-store.ts'
import { composeMessage } from '../message/compose-message.ts'
import type { SenderDomains } from '../sender-domains.ts'
import { senderOf } from '../sender-of.ts'
import { HoldEmail } from '../smtp/smtp-pool.ts'
import { describeAttempt } from './describe-attempt.ts'
import type { Ledger } from './email-lane.ts'
import {
  type ClaimedSend,
  claimSends,
  holdUnverifiedSends,
  markSends,
  type SendResult,
  skipSends,
} from './mail-send-store.ts'

export interface SendLedgerOptions {
  readonly pg: Pool
  readonly processId: string
  readonly leaseMs: number
  readonly clock: Clock
  readonly box: Pick<SecretBox, 'open'>
  readonly domains: SenderDomains
  readonly from: FromDomains
  readonly ends: EmailEnds
  readonly results: { readonly add: (result: SendResult) => void; readonly isFull: boolean }
  /** Whether the transport has a rate limit. Most have none, and then no tokens are requested. */
  readonly hasRate: () => boolean
}

export function sendLedger(
  parts: SendLedgerOptions,
  priorities: readonly number[],
): Ledger<ClaimedSend> {
  const { pg, processId, leaseMs, results, from } = parts
  const settle = (
    send: ClaimedSend,
    end: Omit<EmailEnd, 'bounce'>,
    attemptEntry?: SendResult['attemptEntry'],
  ) =>
    results.add({
      id: send.id,
      addressId: send.address_id,
      attempt: send.attempt,
      state: end.state,
      reason: end.reason,
      delaySeconds: end.delaySeconds,
      attemptEntry,
    })
  const release = (send: ClaimedSend) =>
    settle(send, { state: 'released', reason: null, delaySeconds: 0 })
  return {
    claim: (sendsMax) => claimSends(pg, { processId, leaseMs, sendsMax, priorities }),
    grant: async (count) => {
      if (parts.hasRate())
        await takeTokens(pg, { transport: transportName, wanted: count, always: true })
      return { count, waitMs: 0 }
    },
    mark: async (sends) => {
      const ids = sends.map((send) => send.id)
      const attempts = sends.map((send) => send.attempt)
      const group = { processId, ids, attempts }
      const { allowUnverified: allowUnverifiedFrom } = from
      const { marked, unverified } = await markSends(pg, { ...group, leaseMs, allowUnverifiedFrom })
      from.warn(unverified)
      if (marked.size < sends.length) {
        await skipSends(pg, group)
        if (!allowUnverifiedFrom) from.warn(await holdUnverifiedSends(pg, group))
      }
      return sends.filter((send) => marked.has(send.id))
    },
    release,
    job: (send, isFresh) => ({
      isFresh,
      compose: () => compose(send, parts),
      settle: (outcome, session) => {
        const no = send.tries + 1
        const end = parts.ends.of(outcome, {
          attempt: no,
          domain: domainOf(send.to_address),
          addressId: send.address_id,
          emailRef: () => formatEmailRef(refOf(send)),
          campaignId: null,
        })
        const nowMs = parts.clock.nowMs()
        settle(send, end, describeAttempt(outcome, { state: end.state, no, nowMs, session }))
      },
    }),
    isFull: () => results.isFull,
  }
}

async function compose(send: ClaimedSend, { domains, clock, box }: SendLedgerOptions) {
  const domain = domainOf(send.from_address)
  const sender = await domains.of(send.organization_id, domain)
  if (sender.kind === 'broken') throw new HoldEmail(sender.why)
  const ref = formatEmailRef(refOf(send))
  const { text, html } = bodyOf(send, box)
  const message = await composeMessage(
    {
      messageId: `<${ref}@${domain}>`,
      date: new Date(clock.nowMs()),
      from: { address: send.from_address, name: send.from_name },
      replyTo: send.reply_to,
      to: { address: send.to_address, name: send.to_name },
      subject: send.subject,
      text,
      html,
      headers: send.headers,
    },
    sender.kind === 'signed' ? sender.dkim : undefined,
  )
  return {
    envelope: { from: senderOf(sender, send.from_address, ref), to: send.to_address },
    message,
  }
}

/** A body that was sealed under another secret waits until the secret is corrected. */
function bodyOf(send: ClaimedSend, box: Pick<SecretBox, 'open'>): EmailBody {
  const { id, text, html, sealed_body: sealed } = send
  if (sealed === null) return { text, html }
  try {
    return EmailBody.parse(JSON.parse(box.open(emailBodyPurpose, id, sealed)))
  } catch {
    throw new HoldEmail('The email was sealed under another SLUICE_SECRET.')
  }
}

function refOf(send: ClaimedSend): EmailRef {
  return { kind: 'send', sendId: send.id }
}
