/**
 * Plans the changes of one batch of a file to contacts and suppressions. An import never undoes a
 * person's decision: unsubscribed, bounced and complained contacts stay so, people who were erased
 * after unsubscribing are not stored again, and an unsubscribed row unsubscribes its contact.
 *
 *   row                  no contact      pending, subscribed  unsubscribed  bounced, complained
 *   subscribed, pending  as in the row   unchanged            unchanged     unchanged
 *   unsubscribed         unsubscribed    unsubscribed         unchanged     unsubscribed if lifted
 *   suppressed           all contacts of the address become bounced or complained
 */
import { v7 as uuidv7 } from 'uuid'
import { isBlockedBy } from '#schemas/email-address.ts'
import { type Attribs, attribsMax, type ContactStatus } from '#schemas/rest/email/contact.ts'
import type { ImportPlan, ImportProblem } from '#schemas/rest/email/contact-import.ts'
import type { SuppressionCause } from '../address-store.ts'
import type {
  BulkAddress,
  BulkChange,
  BulkContact,
  BulkEvent,
  BulkNewContact,
  BulkSuppression,
} from './contact-bulk-store.ts'
import type { ImportRow, RowBatch } from './file/read-rows.ts'

export interface ImportTarget {
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
  /** One for each refused or skipped row. */
  readonly problems: readonly ImportProblem[]
  readonly warnings: readonly ImportProblem[]
}

/** Rows stored before the batch: addresses by their key, contacts by the id of their address. */
export interface StoredBefore {
  readonly addresses: ReadonlyMap<string, BulkAddress>
  readonly contacts: ReadonlyMap<string, BulkContact>
  readonly erased: ReadonlySet<string>
}

export interface PlannedBatch extends BatchCounts {
  readonly suppressions: BulkSuppression[]
  readonly fresh: BulkNewContact[]
  readonly changed: BulkChange[]
  readonly events: BulkEvent[]
}

interface ChangedContact extends BulkContact {
  readonly leftAt: Date | null
}

const tooManyAttribs = `must have at most ${attribsMax} keys, with the stored ones`

export function planBatch(
  batch: RowBatch,
  target: ImportTarget,
  stored: StoredBefore,
): PlannedBatch {
  const { plan, now } = target
  const { accepted, refused, skipped } = sorted(batch.rows, target, stored)
  const { suppressions, causes } = planSuppressions(accepted, now)
  const fresh = new Map<string, BulkNewContact>()
  const changed = new Map<string, ChangedContact>()
  const events: BulkEvent[] = []
  const counts = { created: 0, updated: 0, unchanged: 0 }
  for (const { row, address } of accepted) {
    const { line, key, source } = row
    const cause = causes.get(address.id) ?? address.suppressionCause
    const before = fresh.get(key) ?? changed.get(key) ?? stored.contacts.get(address.id)
    if (before === undefined) {
      const created = freshContact(row, { address, cause, plan, now })
      if (created === undefined) {
        refused.push({ line, field: 'attribs', rule: tooManyAttribs })
        continue
      }
      fresh.set(key, created)
      counts.created += 1
      const details = { line, status: created.status }
      events.push({ contactId: created.id, kind: 'created', source, details })
      continue
    }
    const suppressed = withCause(before, causes.get(address.id))
    const next = changedContact(row, suppressed, { plan, now })
    if (next === undefined) {
      refused.push({ line, field: 'attribs', rule: tooManyAttribs })
    } else if (next === before) {
      counts.unchanged += 1
    } else {
      counts.updated += 1
      const own = fresh.get(key)
      if (own === undefined) changed.set(key, { leftAt: changed.get(key)?.leftAt ?? null, ...next })
      else fresh.set(key, { ...own, ...next, unsubscribedAt: leftAtOf(next) ?? own.unsubscribedAt })
      if (next === suppressed) continue
      const kind = leftAtOf(next) === null ? 'changed' : 'unsubscribed'
      events.push({ contactId: next.id, kind, source, details: { line, before: before.status } })
    }
  }
  return {
    ...counts,
    refused: batch.problems.length + refused.length,
    skipped: skipped.length,
    suppressed: suppressions.length,
    problems: [...batch.problems, ...refused, ...skipped],
    warnings: batch.warnings,
    suppressions,
    fresh: [...fresh.values()],
    changed: [...changed.values()],
    events,
  }
}

interface AcceptedRow {
  readonly row: ImportRow
  readonly address: BulkAddress
}

function sorted(rows: readonly ImportRow[], target: ImportTarget, stored: StoredBefore) {
  const accepted: AcceptedRow[] = []
  const refused: ImportProblem[] = []
  const skipped: ImportProblem[] = []
  for (const row of rows) {
    const { line, key } = row
    const address = stored.addresses.get(key)
    const isStranger = address === undefined || !stored.contacts.has(address.id)
    if (address?.erased === true || (isStranger && stored.erased.has(key))) {
      const rule = 'was erased or deleted after opting out or bouncing, and is not stored again'
      skipped.push({ line, field: 'email', rule })
    } else if (address === undefined || (isStranger && isBlockedBy(row.domain, target.blocked))) {
      refused.push({ line, field: 'email', rule: 'must not be on a blocked domain' })
    } else {
      accepted.push({ row, address })
    }
  }
  return { accepted, refused, skipped }
}

/** Plans suppressions of the whole batch first, because they determine the status of contacts. */
function planSuppressions(accepted: readonly AcceptedRow[], now: Date) {
  const suppressions = new Map<string, BulkSuppression>()
  for (const { row, address } of accepted) {
    const cause = row.suppression
    const before = suppressions.get(address.id)?.cause ?? address.suppressionCause
    const isStronger = before === null || (cause === 'complaint' && before !== 'complaint')
    if (cause === null || !isStronger) continue
    const source = row.suppressionSource ?? null
    const at = row.suppressedAt ?? now
    suppressions.set(address.id, { addressId: address.id, cause, source, at })
  }
  const planned = [...suppressions.values()]
  return {
    suppressions: planned,
    causes: new Map(planned.map(({ addressId, cause }) => [addressId, cause])),
  }
}

function freshContact(
  row: ImportRow,
  given: { address: BulkAddress; cause: SuppressionCause | null; plan: ImportPlan; now: Date },
): BulkNewContact | undefined {
  const { address, cause, plan, now } = given
  const attribs = merged({}, row.attribs)
  if (attribs === undefined) return undefined
  const isOwnFile = plan.format === 'sluice'
  const leftAt = row.own === 'unsubscribed' && !isOwnFile ? now : null
  return {
    id: uuidv7(),
    addressId: address.id,
    status: cause === null ? (row.own ?? 'unsubscribed') : statusOf(cause),
    statusBefore: cause === null ? null : row.own,
    name: row.name,
    attribs,
    source: row.source,
    signupAt: row.createdAt ?? now,
    confirmedAt: row.confirmedAt ?? null,
    unsubscribedAt: row.unsubscribedAt ?? leftAt,
  }
}

/** Changes the contact like `suppress_address` in Postgres does. */
function withCause(before: BulkContact, cause: SuppressionCause | undefined): BulkContact {
  const status = cause === undefined ? before.status : statusOf(cause)
  if (status === before.status || before.status === 'complained') return before
  const isSuppressed = before.status === 'bounced'
  return { ...before, status, statusBefore: isSuppressed ? before.statusBefore : before.status }
}

/** Returns the same object when the row changes nothing. */
function changedContact(
  row: ImportRow,
  before: BulkContact,
  { plan, now }: { plan: ImportPlan; now: Date },
): BulkContact | ChangedContact | undefined {
  const attribs = plan.updateExisting ? merged(before.attribs, row.attribs) : before.attribs
  const isLeaving = row.own === 'unsubscribed' && !hasLeft(before)
  // An unsubscribe counts even when the attributes of the row do not fit.
  if (attribs === undefined && !isLeaving) return undefined
  const name = plan.updateExisting ? (row.name ?? before.name) : before.name
  const next = { ...before, name, attribs: attribs ?? before.attribs }
  if (isLeaving) {
    const leftAt = row.unsubscribedAt ?? now
    return before.status === 'bounced' || before.status === 'complained'
      ? { ...next, statusBefore: 'unsubscribed', leftAt }
      : { ...next, status: 'unsubscribed', leftAt }
  }
  return name === before.name && isSame(next.attribs, before.attribs) ? before : next
}

function hasLeft({ status, statusBefore }: BulkContact): boolean {
  if (status === 'bounced' || status === 'complained') {
    // Null becomes unsubscribed when the suppression is lifted.
    return statusBefore === 'unsubscribed' || statusBefore === null
  }
  return status === 'unsubscribed'
}

function leftAtOf(contact: BulkContact | ChangedContact): Date | null {
  return 'leftAt' in contact ? contact.leftAt : null
}

function statusOf(cause: SuppressionCause): ContactStatus {
  return cause === 'complaint' ? 'complained' : 'bounced'
}

function isSame(next: Attribs, before: Attribs): boolean {
  return (
    Object.keys(next).length === Object.keys(before).length &&
    Object.entries(next).every(([key, value]) => before[key] === value)
  )
}

function merged(before: Attribs, given: Attribs): Attribs | undefined {
  const kept = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null)
  return attribsMax < kept.length ? undefined : Object.fromEntries(kept)
}
