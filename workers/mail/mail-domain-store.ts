import type { Pool } from '#platform/postgres.ts'
import type { FromDomainState } from '#schemas/mail/from-domain.ts'
import type { StoredDomain } from './sender-domains.ts'

export async function findSenderDomain(
  pg: Pool,
  organizationId: string,
  domain: string,
): Promise<StoredDomain | undefined> {
  const { rows } = await pg.query<StoredDomain>(
    'select id, selector, sealed_key, bounce_domain, state, state_reason from sending_domains where organization_id = $1 and domain = $2',
    [organizationId, domain],
  )
  return rows[0]
}

export async function fromDomainState(
  pg: Pool,
  organizationId: string,
  domain: string,
): Promise<FromDomainState> {
  const { rows } = await pg.query<{ state: FromDomainState }>(
    'select from_domain_state($1, $2) as state',
    [organizationId, domain],
  )
  return rows[0]!.state
}
