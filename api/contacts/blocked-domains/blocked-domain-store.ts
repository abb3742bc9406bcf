import type { Database } from '../../database.ts'

export interface BlockedDomain {
  readonly domain: string
  readonly created_at: Date
}

/** Of a domain and those above it, the ones that are blocked: never more rows than the name has parts. */
export async function findBlockedAbove(
  pg: Database,
  place: { organizationId: string; domain: string },
): Promise<ReadonlySet<string>> {
  const parts = place.domain.split('.')
  const names = parts.map((_part, index) => parts.slice(index).join('.'))
  const { rows } = await pg.query<{ domain: string }>(
    'select domain from blocked_domains where organization_id = $1 and domain = any($2)',
    [place.organizationId, names],
  )
  return new Set(rows.map(({ domain }) => domain))
}

/** All of an organization, in the order of the alphabet. */
export async function listBlockedDomains(
  pg: Database,
  { organizationId, rowsMax }: { organizationId: string; rowsMax: number },
): Promise<BlockedDomain[]> {
  const { rows } = await pg.query<BlockedDomain>(
    `select domain, created_at from blocked_domains where organization_id = $1 order by domain limit $2`,
    [organizationId, rowsMax],
  )
  return rows
}

export async function addBlockedDomain(
  pg: Database,
  entry: { organizationId: string; domain: string; now: Date },
): Promise<'added' | 'was_there'> {
  const { rowCount } = await pg.query(
    'insert into blocked_domains (organization_id, domain, created_at) values ($1, $2, $3) on conflict do nothing',
    [entry.organizationId, entry.domain, entry.now],
  )
  return rowCount === 1 ? 'added' : 'was_there'
}

export async function deleteBlockedDomain(
  pg: Database,
  entry: { organizationId: string; domain: string },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    'delete from blocked_domains where organization_id = $1 and domain = $2',
    [entry.organizationId, entry.domain],
  )
  return rowCount === 1
}
