import { formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import { domainOfAddress } from '#schemas/mail/from-domain.ts'
import type { SendDetail } from '#schemas/rest/email/send.ts'
import { emailDays } from '#schemas/retention/email-policies.ts'
import { listBouncesOfEmail } from '../bounces/email-bounce-store.ts'
import type { ApiContext } from '../context.ts'
import { found, requireUuid } from '../http/route.ts'
import { attemptViews } from './attempt-view.ts'
import { contentStateOf, findSendDetail, type StoredSendDetail } from './send-detail-store.ts'
import { logItemOf } from './send-report.ts'

const dayMs = 24 * 3_600_000

/** Reads an email with its attempts and the reports about it, or throws `not_found`. */
export async function getSend(
  ctx: Pick<ApiContext, 'pg'>,
  { organizationId }: { readonly organizationId: string },
  asked: { readonly id: string },
): Promise<SendDetail> {
  const id = requireUuid(asked.id)
  const send = found(await findSendDetail(ctx.pg, { organizationId, id }))
  const ref = { kind: 'send', sendId: id } as const
  const { from, fromName, toName, replyTo, finishedAt } = send
  return {
    ...logItemOf(send),
    from,
    fromName,
    toName,
    replyTo,
    messageId: messageIdOf(send),
    finishedAt: finishedAt?.toISOString() ?? null,
    nextAttemptAt: send.state === 'queued' ? send.notBefore.toISOString() : null,
    attemptLog: attemptViews(send.attemptLog),
    bounces: await listBouncesOfEmail(ctx.pg, { organizationId, ref }),
    content: contentStateOf(send),
    deletedAt:
      finishedAt === null ? null : new Date(finishedAt.getTime() + emailDays * dayMs).toISOString(),
  }
}

/** As the mailer writes it into the message. */
export function messageIdOf({ id, from }: Pick<StoredSendDetail, 'id' | 'from'>): string {
  return `<${formatEmailRef({ kind: 'send', sendId: id })}@${domainOfAddress(from)}>`
}
