/**
 * Plans what a signup changes (email-api: States and transitions). Decides only; the caller holds
 * the lock on the address.
 *
 *                 confirms              does not confirm
 *   (none) ───────────▶ pending      (none) ─────────▶ subscribed
 *                          │ confirm page                  ▲
 *                          └──────────────────────────────┘
 *   pending | subscribed ── unsubscribe ──▶ unsubscribed ── resubscribe ──▶ pending | subscribed
 *   any ── bounce ──▶ bounced      any ── complaint ──▶ complained
 *
 * No signup changes a bounced or complained contact.
 */
import { CodedError } from '#schemas/error-codes.ts'
import { type Attribs, attribsMax, type ContactStatus } from '#schemas/rest/email/contact.ts'
import type { SuppressionCause } from '../address-store.ts'

export interface SignupPlan {
  readonly status: ContactStatus
  /** Status after the suppression is lifted, for a new contact whose address is suppressed. */
  readonly statusBefore: 'pending' | 'subscribed' | null
  readonly email: 'confirmation' | 'welcome' | 'none'
  /** Kind of the contact's event. */
  readonly event: 'created' | 'signed_up_again' | 'resubscribed'
}

export function planSignup(signup: {
  readonly before: ContactStatus | undefined
  readonly confirms: boolean
  readonly resubscribe: boolean
  readonly suppression: SuppressionCause | null
}): SignupPlan {
  const { before, confirms, resubscribe, suppression } = signup
  const fresh = confirms ? 'pending' : 'subscribed'
  if (suppression !== null) {
    const status = suppression === 'complaint' ? 'complained' : 'bounced'
    const event = before === undefined ? 'created' : 'signed_up_again'
    if (before === undefined) return { status, statusBefore: fresh, email: 'none', event }
    // The suppression has changed the contact already, so its status stays.
    return { status: before, statusBefore: null, email: 'none', event }
  }
  const email = confirms ? 'confirmation' : 'welcome'
  if (before === undefined) return { status: fresh, statusBefore: null, email, event: 'created' }
  const stays = { status: before, statusBefore: null, event: 'signed_up_again' } as const
  switch (before) {
    case 'pending':
      return { ...stays, email: 'confirmation' }
    case 'unsubscribed':
      if (!resubscribe) return { ...stays, email: 'none' }
      // A flag in a request is not consent, so a newsletter with double opt-in still asks.
      return { status: fresh, statusBefore: null, email, event: 'resubscribed' }
    case 'subscribed':
    case 'bounced':
    case 'complained':
      return { ...stays, email: 'none' }
  }
}

/** Merges attributes: a given key replaces the stored one, a missing key stays, null removes it. */
export function mergeAttribs(before: Attribs, given: Attribs): Attribs {
  const kept = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null)
  if (attribsMax < Object.keys(given).length || attribsMax < kept.length) {
    throw new CodedError('too_many_attribs', {
      details: [
        { field: 'attribs', rule: `must have at most ${attribsMax} keys, with the stored ones` },
      ],
    })
  }
  return Object.fromEntries(kept)
}
