/** Stores one batch of a file in a few statements, or counts what they would do. */
import { v7 as uuidv7 } from 'uuid'
import { isBlockedBy } from '#schemas/email-address.ts'
import type { ImportPlan, ImportProblem } from '#schemas/rest/email/contact-import.ts'
import type { Database } from '../../database.ts'
import {
  addContacts,
  addImportEvents,
  type BulkAddress,
  changeContacts,
  ensureAddresses,
  findAddresses,
  findContactsOf,
  findErasedOptOuts,
  suppressAddresses,
} from './contact-bulk-store.ts'
import type { ImportRow, RowBatch } from './file/read-rows.ts'
import { planBatch } from './plan-batch.ts'

export interface ImportPlace {
  readonly organizationId: string
  readonly newsletterId: string
  readonly blocked: ReadonlySet<string>
  readonly plan: ImportPlan
  readonly now: Date
}

export interface BatchCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly refused: number
  readonly skipped: number
  readonly suppressed: number
  /** Of the refused and the skipped. */
  readonly problems: readonly ImportProblem[]
  readonly warnings: readonly ImportProblem[]
}

/** In the caller's transaction. */
export async function importBatch(
  pg: Database,
  place: ImportPlace,
  batch: RowBatch,
): Promise<BatchCounts> {
  const { organizationId, newsletterId, now, blocked } = place
  const keys = unique(batch.rows).map(({ key }) => key)
  const known = await findAddresses(pg, { organizationId, keys })
  const erased = await findErasedOptOuts(pg, { organizationId, keys })
  // Nothing is stored of a stranger whose row is refused or skipped; somebody known can still leave.
  const wanted = unique(batch.rows).filter(
    ({ key, domain }) => known.has(key) || !(erased.has(key) || isBlockedBy(domain, blocked)),
  )
  const addresses = await ensureAddresses(pg, { organizationId, addresses: wanted })
  const addressIds = [...addresses.values()].map(({ id }) => id)
  const contacts = await findContactsOf(pg, { newsletterId, addressIds })
  const planned = planBatch(batch, place, { addresses, contacts, erased })
  await suppressAddresses(pg, planned.suppressions)
  await addContacts(pg, place, planned.fresh)
  await changeContacts(pg, planned.changed, now)
  await addImportEvents(pg, planned.events, now)
  return planned
}

/** The same without a trace, for a dry run. Addresses that are new get an id that nobody keeps. */
export async function tryBatch(
  pg: Database,
  place: ImportPlace,
  batch: RowBatch,
): Promise<BatchCounts> {
  const { organizationId, newsletterId } = place
  const keys = unique(batch.rows).map(({ key }) => key)
  const known = await findAddresses(pg, { organizationId, keys })
  const erased = await findErasedOptOuts(pg, { organizationId, keys })
  const addresses = keys.map((key): [string, BulkAddress] => [
    key,
    known.get(key) ?? { id: uuidv7(), key, suppressionCause: null, erased: false },
  ])
  const addressIds = [...known.values()].map(({ id }) => id)
  const contacts = await findContactsOf(pg, { newsletterId, addressIds })
  return planBatch(batch, place, { addresses: new Map(addresses), contacts, erased })
}

/** Each address once, spelled as it came first. */
function unique(rows: readonly ImportRow[]): ImportRow[] {
  return [...new Map(rows.toReversed().map((row) => [row.key, row])).values()]
}
