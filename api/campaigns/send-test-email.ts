/** A draft to oneself, as its readers would get it. It counts for nothing: no delivery, no tracking, links that lead nowhere. */

import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { Contact } from '#schemas/mail/compiled-email.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { takeHits } from '../rate-limits/rate-window-store.ts'
import { requireFromAddress } from '../sending-domains/from-address.ts'
import { addSend } from '../sends/send-store.ts'
import type { StoredCampaign } from './campaign-store.ts'
import { frameOf } from './freeze-campaign.ts'
import { previewEmail } from './preview-email.ts'

const testsPerHourMax = 60
const hourMs = 3_600_000

export interface TestEmail {
  readonly campaign: StoredCampaign
  readonly contact: Pick<Contact, 'name' | 'attribs'>
  readonly to: string
}

export async function sendTestEmail(
  { campaign, contact, to }: TestEmail,
  actor: Actor,
  ctx: Pick<ApiContext, 'pg' | 'apiUrl' | 'clock' | 'composer' | 'allowUnverifiedFrom'>,
): Promise<{ id: string; to: string; status: 'queued' }> {
  const address = parseEmailAddress(to)
  if (address.kind === 'invalid') throw invalidField('to', address.rule)
  const { newsletter } = campaign
  const { organizationId } = newsletter
  await requireFromAddress(ctx, { organizationId, address: newsletter.fromAddress }, 'newsletter')
  const frame = { ...frameOf(campaign, ctx.apiUrl), tracking: { opens: false, clicks: false } }
  const { email } = await ctx.composer.email(organizationId, campaign, frame)
  const { subject, html, text } = previewEmail(email, contact, ctx.apiUrl)

  return await ctx.pg.transaction(async (pg) => {
    const window = {
      bucket: `test-letters:${organizationId}`,
      hitsMax: testsPerHourMax,
      windowMs: hourMs,
    }
    const hit = await takeHits(pg, [window], new Date(ctx.clock.nowMs()))
    if (hit.kind === 'full') {
      const message = `There are at most ${testsPerHourMax} test letters an hour.`
      throw new CodedError('rate_limited', { message })
    }
    const stored = await ensureAddress(pg, { organizationId, ...address })
    if (stored.suppressedAt !== null) throw new CodedError('suppressed')
    const { id } = await addSend(pg, {
      organizationId,
      addressId: stored.id,
      kind: 'test',
      newsletterId: newsletter.id,
      from: { address: newsletter.fromAddress, name: newsletter.fromName ?? newsletter.name },
      replyTo: newsletter.replyTo,
      to: { address: address.email },
      subject: `[Test] ${subject}`,
      html,
      text,
    })
    const details = { to: address.email }
    await addAudit(pg, actor, {
      action: 'campaign.tested',
      subjectType: 'campaign',
      subjectId: campaign.id,
      details,
    })
    return { id, to: address.email, status: 'queued' }
  })
}
