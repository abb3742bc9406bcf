/**
 * Turns the delivery of a notification into emails in the queue, one for each recipient. A delivery
 * that was replayed sends them once more.
 */
import { urlBelow } from '#platform/http/url-below.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import {
  type AlertStopKind,
  alertStopPath,
  formatAlertStopToken,
} from '#schemas/alert-stop-token.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import type { SendAlertEmail } from '../../deliveries/alert-email.ts'
import { type AlertEmail, queueAlertEmails } from './alert-email-store.ts'
import { type AlertPayload, issueIdsOf, readAlertPayload, withoutIssues } from './alert-payload.ts'
import { emailContent } from './email-content.ts'
import { alertHeaders } from './email-headers.ts'
import { emailHtml } from './email-html.ts'
import { emailText } from './email-text.ts'
import { type FirstFrame, firstFrame } from './first-frame.ts'
import { domainOf, parseRecipients } from './parse-recipients.ts'
import { findRecipients, findRuleProject, type Recipient } from './recipient-store.ts'

export interface AlertEmailContext {
  readonly pg: Pool
  readonly box: Pick<SecretBox, 'mac'>
  /** Where the stop links point to. */
  readonly apiUrl: string
  /** The sender of Sluice's own emails (MAIL_FROM). */
  readonly from: Mailbox
  readonly readEventPayload: (event: {
    readonly dsnId: number
    readonly eventId: string
  }) => Promise<string | undefined>
  readonly log: Logger
}

export function createSendAlertEmail(ctx: AlertEmailContext): SendAlertEmail {
  return async (delivery, target) => {
    const { id: deliveryId, ruleId, organizationId } = delivery
    const rule = ruleId === null ? undefined : await findRuleProject(ctx.pg, { ruleId, deliveryId })
    if (ruleId === null || rule === undefined) {
      return { kind: 'failed', reason: 'The alert rule does not exist any more.' }
    }
    const payload = readAlertPayload(delivery.payload)
    const recipients = await findRecipients(ctx.pg, {
      organizationId,
      ruleId,
      recipients: parseRecipients(target.to),
      issueIds: issueIdsOf(payload),
    })
    if (recipients.length === 0) {
      return {
        kind: 'failed',
        reason: 'Nobody can get the email: no recipient of the target belongs to the organization.',
      }
    }
    const frame = await frameOf(ctx, payload, rule.dsnId)
    const { shortName, replayedAt } = rule
    const emails = recipients.flatMap((recipient) => {
      if (recipient.stoppedRule) return []
      const left = withoutIssues(payload, new Set(recipient.stoppedIssues))
      return left === undefined
        ? []
        : writeEmail(ctx, { payload: left, recipient, ruleId, shortName, frame })
    })
    const key = replayedAt === null ? deliveryId : `${deliveryId} ${replayedAt.toISOString()}`
    const queued = await queueAlertEmails(ctx.pg, { organizationId, key, from: ctx.from, emails })
    return { kind: 'queued', emails: queued }
  }
}

/** An email without the frame is better than none. */
async function frameOf(
  { readEventPayload, log }: AlertEmailContext,
  { data }: AlertPayload,
  dsnId: number,
): Promise<FirstFrame | undefined> {
  const eventId = data.event?.id
  if (data.issue === undefined || eventId === undefined) return undefined
  try {
    const stored = await readEventPayload({ dsnId, eventId })
    return stored === undefined ? undefined : firstFrame(stored)
  } catch (error) {
    log.warn(
      { code: 'alert_frame_unread', err: error },
      'Reading the event of an alert failed; its email is sent without a stack frame.',
    )
    return undefined
  }
}

interface Written {
  readonly payload: AlertPayload
  readonly recipient: Pick<Recipient, 'email' | 'personId'>
  readonly ruleId: string
  readonly shortName: string
  readonly frame: FirstFrame | undefined
}

export function writeEmail(
  ctx: Pick<AlertEmailContext, 'box' | 'apiUrl' | 'from'>,
  { payload, recipient, ruleId, shortName, frame }: Written,
): AlertEmail {
  const { personId } = recipient
  const issueId = payload.data.digest === undefined ? payload.data.issue?.id : undefined
  const stopUrl = (kind: AlertStopKind, subjectId: string | undefined) => {
    if (personId === null || subjectId === undefined) return undefined
    const token = formatAlertStopToken({ kind, personId, subjectId }, (purpose, message) =>
      ctx.box.mac(purpose, message),
    )
    return urlBelow(ctx.apiUrl, alertStopPath(token))
  }
  const stops = { rule: stopUrl('rule', ruleId), issue: stopUrl('issue', issueId) }
  const content = emailContent(payload, { shortName, frame })
  return {
    to: recipient.email,
    isPerson: personId !== null,
    subject: content.subject,
    html: emailHtml(content, stops),
    text: emailText(content, stops),
    headers: alertHeaders({
      ruleId,
      subject: threadOf(payload),
      domain: domainOf(ctx.from.email),
      stopUrl: stops.rule,
    }),
  }
}

function threadOf({ type, data }: AlertPayload): string {
  const { digest, issue, monitor, idea } = data
  if (digest !== undefined) return 'digest'
  if (issue?.id !== undefined) return `issue ${issue.id}`
  if (monitor?.slug !== undefined) return `monitor ${monitor.slug} ${monitor.environment ?? ''}`
  return idea?.id === undefined ? type : `idea ${idea.id}`
}
