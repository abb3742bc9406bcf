/** Imports one batch of a file with a few statements, or counts what they would change. */
import { v7 as uuidv7 } from 'uuid'
import { isBlockedBy } from '#schemas/email-address.ts'
import type { Database } from '../../database.ts'
import {
  addContacts,
  addImportEvents,
  type BulkAddress,
  type BulkContact,
  changeContacts,
  ensureAddresses,
  findAddresses,
  findContactsOf,
  findErasedOptOuts,
  suppressAddresses,
} from './contact-bulk-store.ts'
import type { ImportRow, RowBatch } from './file/read-rows.ts'
import { type BatchCounts, type ImportTarget, planBatch } from './plan-batch.ts'
import type { SeenKeys } from './seen-keys.ts'

/** Imports a batch in the caller's transaction. */
export async function importBatch(
  pg: Database,
  target: ImportTarget,
  batch: RowBatch,
): Promise<BatchCounts> {
  const { organizationId, newsletterId, now, blocked } = target
  const keys = unique(batch.rows).map(({ key }) => key)
  const known = await findAddresses(pg, { organizationId, keys })
  const erased = await findErasedOptOuts(pg, { organizationId, keys })
  // No address is stored for a refused or skipped row, but a known contact can still unsubscribe.
  const wanted = unique(batch.rows).filter(
    ({ key, domain }) => known.has(key) || !(erased.has(key) || isBlockedBy(domain, blocked)),
  )
  const addresses = await ensureAddresses(pg, { organizationId, addresses: wanted })
  const addressIds = [...addresses.values()].map(({ id }) => id)
  const contacts = await findContactsOf(pg, { newsletterId, addressIds })
  const planned = planBatch(batch, target, { addresses, contacts, erased })
  await suppressAddresses(pg, planned.suppressions)
  await addContacts(pg, target, planned.fresh)
  await changeContacts(pg, planned.changed, now)
  await addImportEvents(pg, planned.events, now)
  return planned
}

/**
 * Counts what an import of the batch would change. New addresses get ids that are not stored.
 * `created`: the contacts of earlier batches of the file, which a later row finds.
 */
export async function tryBatch(
  pg: Database,
  target: ImportTarget,
  batch: RowBatch,
  created: SeenKeys,
): Promise<BatchCounts> {
  const { organizationId, newsletterId } = target
  const keys = unique(batch.rows).map(({ key }) => key)
  const known = await findAddresses(pg, { organizationId, keys })
  const erased = await findErasedOptOuts(pg, { organizationId, keys })
  const addresses = keys.map((key): [string, BulkAddress] => [
    key,
    known.get(key) ?? { id: uuidv7(), key, suppressionCause: null, erased: false },
  ])
  const addressIds = [...known.values()].map(({ id }) => id)
  const contacts = new Map(await findContactsOf(pg, { newsletterId, addressIds }))
  for (const [key, { id }] of addresses) {
    if (!contacts.has(id) && created.has(key)) contacts.set(id, standIn(id, target))
  }
  const planned = planBatch(batch, target, { addresses: new Map(addresses), contacts, erased })
  const keyOf = new Map(addresses.map(([key, { id }]) => [id, key]))
  for (const { addressId } of planned.fresh) created.add(keyOf.get(addressId)!)
  return planned
}

/** The contact that an earlier row would have created; its values are not kept. */
function standIn(addressId: string, { plan }: ImportTarget): BulkContact {
  return {
    id: uuidv7(),
    addressId,
    status: plan.newStatus,
    statusBefore: null,
    name: null,
    attribs: {},
  }
}

/** Returns the first row of each address. */
function unique(rows: readonly ImportRow[]): ImportRow[] {
  return [...new Map(rows.toReversed().map((row) => [row.key, row])).values()]
}
