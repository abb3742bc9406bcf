/** How a notification becomes emails. Targets of the type `email` have no URL and no secret. */
import type { TargetOf } from '../notifications/channels/channel.ts'

export interface EmailDelivery {
  /** The same for every attempt: emails of one delivery are queued once. */
  readonly id: string
  readonly organizationId: string
  readonly ruleId: string | null
  readonly payload: unknown
  readonly isTest: boolean
}

export type AlertEmailResult =
  | { readonly kind: 'queued'; readonly emails: number }
  /** Nobody can get it. It is not attempted again. */
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Queues the emails of a delivery in one transaction. It may be called again for a delivery whose
 * emails are queued, after a crash, and then queues nothing. Throws if it should be called later.
 */
export type SendAlertEmail = (
  delivery: EmailDelivery,
  target: TargetOf<'email'>,
) => Promise<AlertEmailResult>
