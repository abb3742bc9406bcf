import type { Database } from '../database.ts'
import { found, requireUuid } from '../http/route.ts'
import { findCampaign, type StoredCampaign } from './campaign-store.ts'

/**
 * Throws `not_found` for the id of another organization's campaign, and for a text that is not a
 * UUID.
 */
export async function requireCampaign(
  pg: Database,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<StoredCampaign> {
  return found(await findCampaign(pg, { organizationId, id: requireUuid(campaignId) }))
}
