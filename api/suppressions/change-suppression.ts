/** How people change the suppression list, from a browser or the command line. */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { SuppressionState } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { ensureAddress, lockAddress } from '../contacts/address-store.ts'
import type { Postgres } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { type ChangeVia, liftSuppression, suppressAddress } from './suppression-store.ts'

interface Change {
  readonly actor: Actor
  readonly email: string
  readonly now: Date
}

/** An address that is suppressed already keeps the cause it has. */
export async function addSuppression(
  pg: Postgres,
  { actor, email, now, reason }: Change & { reason: string | null },
): Promise<{ added: boolean; state: SuppressionState }> {
  const { organizationId } = actor
  const parsed = readAddress(email)
  return pg.transaction(async (client) => {
    const address = await ensureAddress(client, { organizationId, ...parsed })
    const change = { addressId: address.id, source: reason, via: viaOf(actor), now }
    const added = await suppressAddress(client, change)
    if (added) {
      await addAudit(client, actor, {
        ...{ action: 'suppression.added', subjectType: 'address', subjectId: address.id },
        details: { reason },
      })
    }
    const cause = address.suppressionCause ?? 'manual'
    return { added, state: { email: parsed.email, suppressed: true, cause } }
  })
}

/** A complaint is lifted only by somebody who says that they know of it. */
export async function removeSuppression(
  pg: Postgres,
  lift: Change & { reason: string; complaint: boolean },
): Promise<SuppressionState> {
  const { actor, reason, now } = lift
  const { organizationId } = actor
  const parsed = readAddress(lift.email)
  return pg.transaction(async (client) => {
    const address = await lockAddress(client, { organizationId, key: parsed.key })
    const cause = address?.suppressionCause ?? null
    if (address === undefined || cause === null) {
      throw new CodedError('not_found', { message: 'This address is not suppressed.' })
    }
    if (cause === 'complaint' && !lift.complaint) {
      throw new CodedError('conflict', {
        message:
          'This person called a letter spam. Lift it only if they asked for it, and say so: complaint.',
        details: [{ field: 'complaint', rule: 'must be true to lift a complaint' }],
      })
    }
    await liftSuppression(client, { addressId: address.id, reason, via: viaOf(actor), now })
    await addAudit(client, actor, {
      ...{ action: 'suppression.lifted', subjectType: 'address', subjectId: address.id },
      details: { reason, cause },
    })
    return { email: parsed.email, suppressed: false, cause: null }
  })
}

export function viaOf(actor: Actor): ChangeVia {
  return actor.via === 'command_line' ? 'command_line' : 'dashboard'
}

function readAddress(text: string): { email: string; key: string } {
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('email', parsed.rule)
  return parsed
}
