import type { Database } from '../../database.ts'

/** Blocked domains of one organization. They are listed as one page. */
export const blockedDomainsMax = 10_000

export interface BlockedDomain {
  readonly domain: string
  readonly created_at: Date
}

/** Finds which of a domain and its parent domains are blocked: at most one row per label. */
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

/** Lists the blocked domains of an organization in alphabetical order. */
export async function listBlockedDomains(
  pg: Database,
  organizationId: string,
): Promise<BlockedDomain[]> {
  const { rows } = await pg.query<BlockedDomain>(
    `select domain, created_at from blocked_domains where organization_id = $1
     order by domain limit ${blockedDomainsMax}`,
    [organizationId],
  )
  return rows
}

/** Finds all blocked domains of an organization, for a check of many addresses. */
export async function findAllBlocked(
  pg: Database,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const entries = await listBlockedDomains(pg, organizationId)
  return new Set(entries.map(({ domain }) => domain))
}

export async function countBlockedDomains(pg: Database, organizationId: string): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    'select count(*)::int as count from blocked_domains where organization_id = $1',
    [organizationId],
  )
  return rows[0]?.count ?? 0
}

export async function findBlockedDomain(
  pg: Database,
  entry: { organizationId: string; domain: string },
): Promise<BlockedDomain | undefined> {
  const { rows } = await pg.query<BlockedDomain>(
    'select domain, created_at from blocked_domains where organization_id = $1 and domain = $2',
    [entry.organizationId, entry.domain],
  )
  return rows[0]
}

export async function addBlockedDomain(
  pg: Database,
  entry: { organizationId: string; domain: string; now: Date },
): Promise<'added' | 'already_blocked'> {
  const { rowCount } = await pg.query(
    `insert into blocked_domains (organization_id, domain, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [entry.organizationId, entry.domain, entry.now],
  )
  return rowCount === 1 ? 'added' : 'already_blocked'
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
