import type { DnsRecordCheck } from '#schemas/rest/sending-domain.ts'
import type { Database } from './database.ts'

export interface StoredSendingDomain {
  readonly id: string
  readonly domain: string
  readonly bounceDomain: string
  readonly selector: string
  readonly publicKey: string
  readonly checks: DnsRecordCheck[] | null
  readonly checkedAt: Date | null
  readonly createdAt: Date
}

const columns = `id, domain, coalesce(bounce_domain, 'bounces.' || domain) as "bounceDomain", selector,
  public_key as "publicKey", check_result as checks, checked_at as "checkedAt", created_at as "createdAt"`

/** Undefined: the organization has this domain already. */
export async function addSendingDomain(
  pg: Database,
  added: {
    id: string
    organizationId: string
    domain: string
    bounceDomain: string | null
    selector: string
    sealedKey: Buffer
    publicKey: string
  },
): Promise<StoredSendingDomain | undefined> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `insert into sending_domains (id, organization_id, domain, bounce_domain, selector, sealed_key, public_key)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, domain) do nothing returning ${columns}`,
    [
      added.id,
      added.organizationId,
      added.domain,
      added.bounceDomain,
      added.selector,
      added.sealedKey,
      added.publicKey,
    ],
  )
  return rows[0]
}

export async function listSendingDomains(
  pg: Database,
  { organizationId, rowsMax }: { organizationId: string; rowsMax: number },
): Promise<StoredSendingDomain[]> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `select ${columns} from sending_domains where organization_id = $1 order by domain limit $2`,
    [organizationId, rowsMax],
  )
  return rows
}

export async function findSendingDomain(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredSendingDomain | undefined> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `select ${columns} from sending_domains where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
  return rows[0]
}

export async function setDomainChecks(
  pg: Database,
  { id, checks, now }: { id: string; checks: readonly DnsRecordCheck[]; now: Date },
): Promise<StoredSendingDomain | undefined> {
  const { rows } = await pg.query<StoredSendingDomain>(
    `update sending_domains set check_result = $2, checked_at = $3 where id = $1 returning ${columns}`,
    [id, JSON.stringify(checks), now],
  )
  return rows[0]
}

export async function deleteSendingDomain(
  pg: Database,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    'delete from sending_domains where organization_id = $1 and id = $2',
    [organizationId, id],
  )
  return rowCount === 1
}
