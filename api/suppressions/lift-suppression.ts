import { CodedError } from '#schemas/error-codes.ts'
import type { SuppressionState } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { lockAddress } from '../contacts/address-store.ts'
import { changeOrigin } from '../contacts/change-origin.ts'
import { parseAddress } from '../contacts/parse-address.ts'
import type { ApiContext } from '../context.ts'
import { liftStoredSuppression } from './suppression-store.ts'

/** Lifts the suppression of one address. A complaint is lifted only with `complaint: true`. */
export async function liftSuppression(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  input: { readonly email: string; readonly reason: string; readonly complaint: boolean },
): Promise<SuppressionState> {
  const { organizationId } = actor
  const { reason, complaint } = input
  const { email, key } = parseAddress(input.email)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const address = await lockAddress(client, { organizationId, key })
    const cause = address?.suppressionCause ?? null
    if (address === undefined || cause === null) {
      throw new CodedError('not_found', { message: 'This address is not suppressed.' })
    }
    if (cause === 'complaint' && !complaint) {
      throw new CodedError('conflict', {
        message:
          'This person reported an email as spam. If they asked for emails again, set `complaint` to true.',
        details: [{ field: 'complaint', rule: 'must be true to lift a complaint' }],
      })
    }
    const lift = { addressId: address.id, reason, via: changeOrigin(actor), now }
    await liftStoredSuppression(client, lift)
    await addAudit(client, actor, {
      action: 'suppression.lifted',
      subjectType: 'address',
      subjectId: address.id,
      details: { reason, cause },
    })
    return { email, suppressed: false, cause: null }
  })
}
