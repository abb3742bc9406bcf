/**
 * Requests to export or erase what is stored about a subscriber. The database holds only the hash
 * of a link's token.
 */
import type { Database } from '../database.ts'

export type DataPurpose = 'export' | 'erase'

export async function addDataRequest(
  pg: Database,
  request: {
    readonly tokenHash: Buffer
    readonly addressId: string
    readonly purpose: DataPurpose
    readonly expiresAt: Date
    readonly now: Date
  },
): Promise<void> {
  await pg.query(
    `insert into data_requests (token_hash, address_id, purpose, expires_at, created_at)
     values ($1, $2, $3, $4, $5)`,
    [request.tokenHash, request.addressId, request.purpose, request.expiresAt, request.now],
  )
}

export interface DataRequest {
  readonly organizationId: string
  readonly addressId: string
}

/** Finds the request of a link that has not expired. */
export async function findDataRequest(
  pg: Database,
  link: { readonly tokenHash: Buffer; readonly purpose: DataPurpose; readonly now: Date },
): Promise<DataRequest | undefined> {
  const { rows } = await pg.query<DataRequest>(
    `select a.organization_id as "organizationId", a.id as "addressId"
     from data_requests r join addresses a on a.id = r.address_id
     where r.token_hash = $1 and r.purpose = $2 and $3 < r.expires_at`,
    [link.tokenHash, link.purpose, link.now],
  )
  return rows[0]
}

/** The row of a suppressed address outlives an erasure, so its links are deleted explicitly. */
export async function deleteDataRequests(pg: Database, addressId: string): Promise<void> {
  await pg.query('delete from data_requests where address_id = $1', [addressId])
}
