/**
 * Decides whether a due notification is still sent as an email. Pure: one query has read all it
 * needs.
 */
export type NotificationKind = 'status' | 'reply' | 'approved' | 'rejected'

export interface DueNotification {
  readonly id: string
  readonly kind: NotificationKind
  readonly projectId: string
  readonly organizationId: string
  readonly projectKey: string
  /** Name of the portal, or of the project if the portal has none. */
  readonly portalName: string
  readonly email: string
  readonly emailKey: string
  /** The site has signed that this mailbox belongs to its user. */
  readonly verified: boolean
  readonly optedOut: boolean
  readonly suppressed: boolean
  /** Emails of this portal to this mailbox in the last 24 hours. */
  readonly sentToday: number
  readonly createdAt: Date
  readonly ideaId: string
  readonly ideaTitle: string
  readonly ideaStatus: string
  readonly ideaModeration: string
  readonly canonicalId: string | null
  readonly canonicalTitle: string | null
  readonly response: string | null
  readonly responseAt: Date | null
  /** Status before the first change since the notification was planned; null if there was none. */
  readonly statusBefore: string | null
  /** Reason that a moderator gave for rejecting it. */
  readonly rejectReason: string | null
  readonly commentBody: string | null
  readonly commentByTeam: boolean | null
  /** Whether the comment is published and not deleted. */
  readonly commentStands: boolean
}

export type Judgement =
  | { readonly kind: 'send'; readonly newStatus: boolean; readonly newResponse: boolean }
  | {
      readonly kind: 'drop'
      readonly why: 'opted_out' | 'suppressed' | 'no_longer_true' | 'share_of_the_day'
    }

/**
 * Maximum per mailbox and portal and day, because the owner of the mailbox may not have typed the
 * address.
 */
export const notificationsPerDayMax = 5

/**
 * @param alsoToday emails to the same mailbox that were accepted before this one and are not
 * counted yet.
 */
export function judgeNotification(notification: DueNotification, alsoToday: number): Judgement {
  if (notification.optedOut) return { kind: 'drop', why: 'opted_out' }
  if (notification.suppressed) return { kind: 'drop', why: 'suppressed' }
  const newStatus =
    notification.statusBefore !== null && notification.statusBefore !== notification.ideaStatus
  const newResponse =
    notification.response !== null &&
    notification.responseAt !== null &&
    notification.createdAt <= notification.responseAt
  if (!isStillTrue(notification, newStatus || newResponse)) {
    return { kind: 'drop', why: 'no_longer_true' }
  }
  if (notificationsPerDayMax <= notification.sentToday + alsoToday) {
    return { kind: 'drop', why: 'share_of_the_day' }
  }
  return { kind: 'send', newStatus, newResponse }
}

function isStillTrue(notification: DueNotification, isNew: boolean): boolean {
  switch (notification.kind) {
    // A status change that was undone within the delay is not reported.
    case 'status':
      return notification.ideaModeration === 'published' && isNew
    case 'approved':
      return notification.ideaModeration === 'published'
    case 'rejected':
      return notification.ideaModeration === 'rejected'
    case 'reply':
      return notification.ideaModeration === 'published' && notification.commentStands
  }
}
