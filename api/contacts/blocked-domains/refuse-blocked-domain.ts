import { isBlockedBy } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../../database.ts'
import { findBlockedAbove } from './blocked-domain-store.ts'

/** Throws `blocked_domain` when the domain or one of its parent domains is blocked. */
export async function refuseBlockedDomain(
  pg: Database,
  address: { readonly organizationId: string; readonly domain: string },
): Promise<void> {
  const blocked = await findBlockedAbove(pg, address)
  if (isBlockedBy(address.domain, blocked)) throw new CodedError('blocked_domain')
}
