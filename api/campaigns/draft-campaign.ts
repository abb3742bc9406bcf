import type { z } from 'zod'
import type { CreatedCampaign, NewCampaign } from '#schemas/rest/email/campaign.ts'
import type { ApiContext } from '../context.ts'
import { doOnce, type RepeatableCall } from '../http/idempotency/idempotency.ts'
import { requireNewsletter } from '../newsletters/require-newsletter.ts'
import { urlField } from './archive-url.ts'
import { checkComposable, createDraft } from './create-draft.ts'

/**
 * `POST /campaigns` of the email API: creates a draft that a person sends later. The caller is a
 * program, so the audit log has no entry.
 */
export async function draftCampaign(
  ctx: ApiContext,
  call: RepeatableCall,
  { newsletter: slug, ...source }: NewCampaign,
): Promise<z.infer<typeof CreatedCampaign>> {
  const { organizationId } = call.caller
  const newsletter = await requireNewsletter(ctx, { organizationId, slug })
  await checkComposable(ctx, organizationId, source)
  const now = new Date(ctx.clock.nowMs())
  const done = await doOnce(ctx, call, async (pg) => {
    const { id, archiveSlug } = await createDraft(pg, {
      newsletter,
      source,
      createdBy: 'api',
      now,
    })
    return { id, archiveSlug, ...urlField({ newsletter, archiveSlug }, ctx.apiUrl) }
  })
  return done.reply
}
