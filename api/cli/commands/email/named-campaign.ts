import { type Actor, commandLineActor } from '../../../audit/audit-store.ts'
import { findCampaign, type StoredCampaign } from '../../../campaigns/campaign-store.ts'
import type { Run } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The campaign that the operand names, and the actor for the audit log. */
export async function namedCampaign({
  session,
  flags,
  organization,
}: Run): Promise<{ actor: Actor; campaign: StoredCampaign; campaignId: string }> {
  const id = (flags.id ?? '').toLowerCase()
  const actor = commandLineActor(await organization())
  const { organizationId } = actor
  const campaign = uuidPattern.test(id)
    ? await findCampaign(session.pg, { organizationId, id })
    : undefined
  if (campaign === undefined) {
    throw new UsageError(`No campaign has the id ${id}: see \`campaign list\`.`)
  }
  return { actor, campaign, campaignId: campaign.id }
}
