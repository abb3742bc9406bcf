/**
 * Sends a campaign's email to one address, as its recipients would get it, without a delivery,
 * tracking or working personal links.
 */
import type { z } from 'zod'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { TestReply, TestRequest } from '#schemas/rest/email/campaign-admin.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import { ensureAddress } from '../../contacts/address-store.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { takeHits } from '../../rate-limits/rate-window-store.ts'
import { requireFromAddress } from '../../sending-domains/from-address.ts'
import { addSend } from '../../sends/send-store.ts'
import { frameOf } from '../freeze-campaign.ts'
import { requireCampaign } from '../require-campaign.ts'
import { previewEmail } from './preview-email.ts'

type TestEmail = Omit<z.infer<typeof TestRequest>, 'to'> & {
  readonly campaignId: string
  readonly to: string
}

const testsPerHourMax = 60
const hourMs = 3_600_000

export async function sendTestEmail(
  ctx: Pick<ApiContext, 'pg' | 'apiUrl' | 'clock' | 'composer' | 'allowUnverifiedFrom'>,
  actor: Actor,
  { campaignId, to, name, attribs }: TestEmail,
): Promise<z.infer<typeof TestReply>> {
  const { organizationId } = actor
  const campaign = await requireCampaign(ctx.pg, { organizationId, campaignId })
  const address = parseEmailAddress(to)
  if (address.kind === 'invalid') throw invalidField('to', address.rule)
  const { newsletter } = campaign
  await requireFromAddress(ctx, { organizationId, address: newsletter.fromAddress }, 'newsletter')
  const frame = { ...frameOf(campaign, ctx.apiUrl), tracking: { opens: false, clicks: false } }
  const composed = await ctx.composer.email(organizationId, campaign, frame)
  const email = previewEmail(composed.email, { name, attribs }, ctx.apiUrl)

  return ctx.pg.transaction(async (pg) => {
    await takeTestHit(pg, organizationId, new Date(ctx.clock.nowMs()))
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
      subject: `[Test] ${email.subject}`,
      html: email.html,
      text: email.text,
    })
    await addAudit(pg, actor, {
      action: 'campaign.tested',
      subjectType: 'campaign',
      subjectId: campaign.id,
      details: { to: address.email },
    })
    return { id, to: address.email, status: 'queued' }
  })
}

async function takeTestHit(pg: Database, organizationId: string, now: Date): Promise<void> {
  const window = {
    // cspell:ignore letters
    bucket: `test-letters:${organizationId}`,
    hitsMax: testsPerHourMax,
    windowMs: hourMs,
  }
  const hit = await takeHits(pg, [window], now)
  if (hit.kind !== 'full') return
  const message = `There are at most ${testsPerHourMax} test emails per hour.`
  throw new CodedError('rate_limited', { message })
}
