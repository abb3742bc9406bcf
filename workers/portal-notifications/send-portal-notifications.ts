/**
 * Turns due notifications into emails in the queue. A notification and its email are one
 * transaction, so that a crash neither loses nor repeats one; the mail process sends them.
 */
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'
import {
  formatNotificationToken,
  notificationLinkPurpose,
} from '#schemas/portal-notification-token.ts'
import { type DueNotification, judgeNotification } from './judge-notification.ts'
import {
  dropNotification,
  ensureNotificationAddress,
  listDueNotifications,
  lockNotifications,
  queueNotification,
} from './portal-notification-store.ts'
import { renderNotification } from './render-notification.ts'

export interface NotificationContext {
  readonly pg: Pool
  readonly box: Pick<SecretBox, 'mac'>
  /** Base URL of the portal page and of the links in emails. */
  readonly apiUrl: string
  /** The sender of Sluice's own emails (MAIL_FROM). */
  readonly mailFrom: Mailbox
}

const notificationsPerRunMax = 100

/**
 * Returns how many notifications were processed. If that is the maximum of a run, there may be
 * more.
 */
export function sendPortalNotifications(ctx: NotificationContext, now: Date): Promise<number> {
  return inTransaction(ctx.pg, async (client) => {
    if (!(await lockNotifications(client))) return 0
    const due = await listDueNotifications(client, { now, rowsMax: notificationsPerRunMax })
    const sentNow = new Map<string, number>()
    for (const notification of due) {
      const mailbox = `${notification.projectId} ${notification.emailKey}`
      const judgement = judgeNotification(notification, sentNow.get(mailbox) ?? 0)
      if (judgement.kind === 'drop') {
        await dropNotification(client, notification.id, judgement.why)
        continue
      }
      sentNow.set(mailbox, (sentNow.get(mailbox) ?? 0) + 1)
      const addressId = await ensureNotificationAddress(client, notification)
      const { apiUrl } = ctx
      const email = renderNotification(notification, judgement, {
        apiUrl,
        stopUrl: stopUrlOf(ctx, notification, addressId),
      })
      await queueNotification(client, {
        notification,
        addressId,
        email,
        now,
        fromAddress: ctx.mailFrom.email,
      })
    }
    return due.length
  })
}

function stopUrlOf(
  ctx: NotificationContext,
  { projectId }: DueNotification,
  addressId: string,
): string {
  const token = formatNotificationToken({ projectId, addressId }, (message) =>
    ctx.box.mac(notificationLinkPurpose, message),
  )
  return `${ctx.apiUrl.replace(/\/$/, '')}/n/${token}`
}
