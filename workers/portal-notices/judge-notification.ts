/** Whether a notice that is due is still worth a letter. Pure: everything it looks at was read together. */
export type NotificationKind = 'status' | 'reply' | 'approved' | 'rejected'

export interface DueNotification {
  readonly id: string
  readonly kind: NotificationKind
  readonly projectId: string
  readonly organizationId: string
  readonly projectKey: string
  /** As the portal calls itself, else the project's name. */
  readonly portalName: string
  readonly email: string
  readonly emailKey: string
  /** A site has signed that this mailbox is its user's. */
  readonly verified: boolean
  readonly optedOut: boolean
  readonly suppressed: boolean
  /** Letters of this portal to this mailbox in the last 24 hours. */
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
  /** Of the first change of status since the notice was planned; null: there was none. */
  readonly statusBefore: string | null
  /** What a moderator gave as reason for rejecting it. */
  readonly rejectReason: string | null
  readonly commentBody: string | null
  readonly commentByTeam: boolean | null
  /** The comment is published and not deleted. */
  readonly commentStands: boolean
}

export type Judgement =
  | { readonly kind: 'send'; readonly newStatus: boolean; readonly newResponse: boolean }
  | {
      readonly kind: 'drop'
      readonly why: 'opted_out' | 'suppressed' | 'no_longer_true' | 'share_of_the_day'
    }

/** For one mailbox and portal: nobody asked for more, and an address that somebody else typed is not flooded. */
export const notificationsPerDayMax = 5

/** @param alsoToday letters to the same mailbox that were judged before this one and are not counted yet. */
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
    // A change that was taken back within the delay is none.
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
