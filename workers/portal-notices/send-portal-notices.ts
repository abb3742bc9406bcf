/**
 * Turns notices that are due into letters in the queue. A notice and its letter are one transaction, so that a crash neither loses nor
 * repeats one; the mail process does the rest.
 */
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { formatNoticeToken, noticeLinkPurpose } from '#schemas/portal-notice-token.ts'
import { type DueNotice, judgeNotice } from './judge-notice.ts'
import {
  dropNotice,
  ensureNoticeAddress,
  forgetOldNotices,
  listDueNotices,
  lockNotices,
  queueNotice,
} from './portal-notice-store.ts'
import { renderNotice } from './render-notice.ts'

export interface NoticeContext {
  readonly pg: Pool
  readonly box: Pick<SecretBox, 'mac'>
  /** Where the portal page and the links below letters are. */
  readonly apiUrl: string
  /** `Name <address>`, or an address. */
  readonly mailFrom: string
}

const noticesPerRunMax = 100
const keptMs = 90 * 24 * 3_600_000

/** Returns how many were looked at: as many as a run takes, and there may be more. */
export function sendPortalNotices(ctx: NoticeContext, now: Date): Promise<number> {
  return inTransaction(ctx.pg, async (client) => {
    if (!(await lockNotices(client))) return 0
    const due = await listDueNotices(client, { now, rowsMax: noticesPerRunMax })
    const sentNow = new Map<string, number>()
    for (const notice of due) {
      const mailbox = `${notice.projectId} ${notice.emailKey}`
      const judgement = judgeNotice(notice, sentNow.get(mailbox) ?? 0)
      if (judgement.kind === 'drop') {
        await dropNotice(client, notice.id, judgement.why)
        continue
      }
      sentNow.set(mailbox, (sentNow.get(mailbox) ?? 0) + 1)
      const addressId = await ensureNoticeAddress(client, notice)
      const { apiUrl } = ctx
      const letter = renderNotice(notice, judgement, {
        apiUrl,
        stopUrl: stopUrlOf(ctx, notice, addressId),
      })
      await queueNotice(client, {
        ...{ notice, addressId, letter, now, fromAddress: addressOf(ctx.mailFrom) },
      })
    }
    await forgetOldNotices(client, {
      ...{ before: new Date(now.getTime() - keptMs), rowsMax: noticesPerRunMax },
    })
    return due.length
  })
}

function stopUrlOf(ctx: NoticeContext, { projectId }: DueNotice, addressId: string): string {
  const token = formatNoticeToken({ projectId, addressId }, (message) =>
    ctx.box.mac(noticeLinkPurpose, message),
  )
  return `${ctx.apiUrl.replace(/\/$/, '')}/n/${token}`
}

function addressOf(mailFrom: string): string {
  return /<([^<>]+)>\s*$/.exec(mailFrom)?.[1]?.trim() ?? mailFrom.trim()
}
