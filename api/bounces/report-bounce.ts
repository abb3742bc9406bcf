import { parseEmailAddress } from '#schemas/email-address.ts'
import type { BounceReply, BounceReport } from '#schemas/rest/email/bounce.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import { doOnce, type RepeatableCall } from '../http/idempotency/idempotency.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { recordBounce } from './bounce-store.ts'

/**
 * `POST /bounces`: records a bounce or complaint that a program reports. The address need not
 * belong to a contact.
 */
export async function reportBounce(
  ctx: ApiContext,
  call: RepeatableCall,
  { email: given, type, source }: BounceReport,
): Promise<BounceReply> {
  const { organizationId } = call.caller
  const parsed = parseEmailAddress(given)
  if (parsed.kind === 'invalid') throw invalidField('email', parsed.rule)
  const { email, key } = parsed

  const done = await doOnce(ctx, call, async (pg) => {
    const now = new Date(ctx.clock.nowMs())
    const { id: addressId } = await ensureAddress(pg, { organizationId, email, key })
    const bounce = { addressId, type, cause: null, counts: true, source, at: now }
    const { suppressed, softBounces } = await recordBounce(pg, bounce, now)
    return { email, suppressed, softBounces }
  })
  return done.reply
}
