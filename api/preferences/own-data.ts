/**
 * Exports and erases the data of a person who opens a link to it. The link proves that they
 * read the mailbox, so there is no actor and no audit entry.
 */

import { erasePersonData } from '#platform/person-data/erase-address-store.ts'
import { hashSecret, isToken } from '../auth/secret.ts'
import { readPersonData } from '../contacts/person-data-store.ts'
import type { ApiContext } from '../context.ts'
import {
  type DataPurpose,
  type DataRequest,
  deleteDataRequests,
  findDataRequest,
} from './data-request-store.ts'

/** Undefined when the link is unknown or has expired. */
export async function findOwnDataRequest(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { token, purpose }: { readonly token: string; readonly purpose: DataPurpose },
): Promise<DataRequest | undefined> {
  if (!isToken(token)) return undefined
  const now = new Date(ctx.clock.nowMs())
  return findDataRequest(ctx.pg, { tokenHash: hashSecret(token), purpose, now })
}

/**
 * Returns everything stored about the person; undefined when the link is unknown or has expired.
 */
export async function exportOwnData(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { token }: { readonly token: string },
): Promise<Record<string, unknown> | undefined> {
  const request = await findOwnDataRequest(ctx, { token, purpose: 'export' })
  return request && readPersonData(ctx.pg, request.addressId)
}

/** Erases the person and their links. Returns false when the link is unknown or has expired. */
export async function eraseOwnData(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { token }: { readonly token: string },
): Promise<boolean> {
  const request = await findOwnDataRequest(ctx, { token, purpose: 'erase' })
  if (request === undefined) return false
  await ctx.pg.transaction(async (pg) => {
    await erasePersonData(pg, request)
    await deleteDataRequests(pg, request.addressId)
  })
  return true
}
