/**
 * What comes back about an email: reports as callers send them, and the causes that Sluice tells
 * apart.
 */
import { z } from 'zod'

export const BounceType = z.enum(['hard', 'soft', 'complaint'])
export type BounceType = z.infer<typeof BounceType>

/**
 * Why an email came back. Only `mailbox` suppresses at once, and only `transient` counts towards
 * the third soft bounce in a row.
 *
 *   mailbox        the mailbox or its domain does not exist any more, or is disabled
 *   transient      a full mailbox, or a server that could not take the email for a day
 *   policy         a rule of the receiving server, or an authentication failure (DKIM, SPF, DMARC)
 *   reputation     a block list, or the sender's standing with the receiving server
 *   content        a spam or virus filter
 *   size           larger than the receiving server or mailbox accepts
 *   routing        a mail loop, a missing route, or a failure of the receiving mail system
 *   provider_list  the provider did not try, because the address is on its own suppression list
 *   unclear        refused for good, with a reason that says nothing certain about the mailbox
 */
export const BounceCause = z.enum([
  'mailbox',
  'transient',
  'policy',
  'reputation',
  'content',
  'size',
  'routing',
  'provider_list',
  'unclear',
  'complaint',
])
export type BounceCause = z.infer<typeof BounceCause>

/** `none`: informational, such as greylisting or a vacation reply; nothing is recorded. */
export type BounceKind = BounceCause | 'unsubscribe' | 'none'

/** The effect of a recorded cause on the address. */
export function effectOf(cause: BounceCause): {
  readonly type: BounceType
  /** False: recorded for information only. */
  readonly counts: boolean
} {
  switch (cause) {
    case 'mailbox':
      return { type: 'hard', counts: true }
    case 'complaint':
      return { type: 'complaint', counts: true }
    case 'transient':
      return { type: 'soft', counts: true }
    default:
      return { type: 'soft', counts: false }
  }
}
