/**
 * One batch of a file becomes contacts. An import never undoes what a person decided: who unsubscribed, bounced or complained stays
 * so, and who is unsubscribed in the file leaves.
 */
import { v7 as uuidv7 } from 'uuid'
import { isBlockedBy } from '#schemas/email-address.ts'
import { type Attribs, attribsMax, type ContactStatus } from '#schemas/rest/contact.ts'
import type { ImportPlan, ImportProblem } from '#schemas/rest/contact-import.ts'
import {
  addContacts,
  addImportEvents,
  type BulkAddress,
  type BulkContact,
  type BulkNewContact,
  changeContacts,
  ensureAddresses,
  findAddresses,
  findContactsOf,
} from '../../io/contact-bulk-store.ts'
import type { Database } from '../../io/database.ts'
import { planSignup } from '../contacts/plan-signup.ts'
import type { ImportRow, RowBatch } from './read-rows.ts'

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
  readonly problems: readonly ImportProblem[]
}

/** In the caller's transaction. */
export async function importBatch(
  pg: Database,
  place: ImportPlace,
  batch: RowBatch,
): Promise<BatchCounts> {
  const rows = batch.rows.filter(({ domain }) => !isBlockedBy(domain, place.blocked))
  const { organizationId, newsletterId, now } = place
  const addresses = await ensureAddresses(pg, { organizationId, addresses: unique(rows) })
  const addressIds = [...addresses.values()].map(({ id }) => id)
  const contacts = await findContactsOf(pg, { newsletterId, addressIds })
  const planned = planBatch(batch, place, addresses, contacts)
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
  const fresh = keys.map((key): [string, BulkAddress] => [
    key,
    known.get(key) ?? { id: uuidv7(), key, suppressionCause: null },
  ])
  const addressIds = [...known.values()].map(({ id }) => id)
  const contacts = await findContactsOf(pg, { newsletterId, addressIds })
  return planBatch(batch, place, new Map(fresh), contacts)
}

interface PlannedBatch extends BatchCounts {
  readonly fresh: BulkNewContact[]
  readonly changed: BulkContact[]
  readonly events: { contactId: string; kind: string; source: string; details: object }[]
}

function planBatch(
  batch: RowBatch,
  place: ImportPlace,
  addresses: ReadonlyMap<string, BulkAddress>,
  contacts: ReadonlyMap<string, BulkContact>,
): PlannedBatch {
  const fresh = new Map<string, BulkNewContact>()
  const changed = new Map<string, BulkContact>()
  const events: PlannedBatch['events'] = []
  const problems = [...batch.problems]
  let unchanged = 0
  for (const row of batch.rows) {
    const { line, source } = row
    const address = addresses.get(row.key)
    if (address === undefined || isBlockedBy(row.domain, place.blocked)) {
      problems.push({ line, field: 'email', rule: 'must not be on a blocked domain' })
      continue
    }
    const before = fresh.get(row.key) ?? changed.get(row.key) ?? contacts.get(address.id)
    const next =
      before === undefined ? freshContact(row, address) : changedContact(row, before, place.plan)
    if (next === undefined) {
      problems.push({
        line,
        field: 'attribs',
        rule: `must have at most ${attribsMax} keys, with those before`,
      })
    } else if (next === before) {
      unchanged += 1
    } else if (before === undefined) {
      fresh.set(row.key, { ...next, statusBefore: statusBeforeOf(row, address), source })
      events.push({
        contactId: next.id,
        kind: 'created',
        source,
        details: { line, status: next.status },
      })
    } else {
      const added = fresh.get(row.key)
      if (added === undefined) changed.set(row.key, next)
      else fresh.set(row.key, { ...added, ...next })
      const left = next.status === 'unsubscribed' && before.status !== 'unsubscribed'
      const kind = left ? 'unsubscribed' : 'changed'
      events.push({ contactId: next.id, kind, source, details: { line, before: before.status } })
    }
  }
  return {
    ...{ unchanged, problems, events },
    created: fresh.size,
    updated: batch.rows.length + batch.problems.length - problems.length - unchanged - fresh.size,
    fresh: [...fresh.values()],
    changed: [...changed.values()],
  }
}

function freshContact(row: ImportRow, address: BulkAddress): BulkContact | undefined {
  const attribs = merged({}, row.attribs)
  if (attribs === undefined) return undefined
  const { status } = planSignup({
    before: undefined,
    confirms: false,
    resubscribe: false,
    suppression: address.suppressionCause,
  })
  const own: ContactStatus = status === 'subscribed' ? row.status : status
  return { id: uuidv7(), addressId: address.id, status: own, name: row.name, attribs }
}

function statusBeforeOf(row: ImportRow, address: BulkAddress): ContactStatus | null {
  return address.suppressionCause === null ? null : row.status
}

/** The same object when the row says nothing new. */
function changedContact(
  row: ImportRow,
  before: BulkContact,
  plan: ImportPlan,
): BulkContact | undefined {
  const leaves =
    row.status === 'unsubscribed' && (before.status === 'subscribed' || before.status === 'pending')
  const status = leaves ? 'unsubscribed' : before.status
  const attribs = plan.updateExisting ? merged(before.attribs, row.attribs) : before.attribs
  if (attribs === undefined) return undefined
  const name = plan.updateExisting ? (row.name ?? before.name) : before.name
  const same =
    status === before.status &&
    name === before.name &&
    Object.keys(attribs).length === Object.keys(before.attribs).length &&
    Object.entries(attribs).every(([key, value]) => before.attribs[key] === value)
  return same ? before : { ...before, status, name, attribs }
}

function merged(before: Attribs, given: Attribs): Attribs | undefined {
  const kept = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null)
  return attribsMax < kept.length ? undefined : Object.fromEntries(kept)
}

/** Each address once, spelled as it came first. */
function unique(rows: readonly ImportRow[]): ImportRow[] {
  return [...new Map(rows.toReversed().map((row) => [row.key, row])).values()]
}
