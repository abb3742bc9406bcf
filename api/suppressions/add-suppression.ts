import type { SuppressionState } from '#schemas/rest/email/suppression.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import { changeOrigin } from '../contacts/change-origin.ts'
import { parseAddress } from '../contacts/parse-address.ts'
import type { ApiContext } from '../context.ts'
import { suppressAddress } from './suppression-store.ts'

/** Suppresses an address manually. An address that is suppressed already keeps its cause. */
export async function addSuppression(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  input: { readonly email: string; readonly reason: string | null },
): Promise<{ added: boolean; state: SuppressionState }> {
  const { organizationId } = actor
  const { reason } = input
  const { email, key } = parseAddress(input.email)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const address = await ensureAddress(client, { organizationId, email, key })
    const change = { addressId: address.id, source: reason, via: changeOrigin(actor), now }
    const added = await suppressAddress(client, change)
    if (added) {
      await addAudit(client, actor, {
        action: 'suppression.added',
        subjectType: 'address',
        subjectId: address.id,
        details: { reason },
      })
    }
    const cause = address.suppressionCause ?? 'manual'
    return { added, state: { email, suppressed: true, cause } }
  })
}
