/**
 * Exports contacts as CSV, one page of rows at a time, so that memory use does not grow with their
 * number. Erased contacts are left out: without an address no import could read their rows.
 */
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { csvLine } from '../files/table-file.ts'
import { type ContactFilter, type ListedContact, listContacts } from './contact-list-store.ts'
import { type ContactSelection, selectContacts } from './select-contacts.ts'

const rowsPerPage = 1_000

const columns = [
  'id',
  'newsletter',
  'email',
  'name',
  'status',
  'attribs',
  'source',
  'createdAt',
  'confirmedAt',
  'unsubscribedAt',
  'suppressionCause',
  'suppressedAt',
  'suppressionSource',
  'statusBefore',
] as const

/** Writes the audit entry before the first row leaves, and returns the lines of the file. */
export async function exportContacts(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  selection: ContactSelection,
): Promise<AsyncGenerator<string>> {
  const filter = await selectContacts(ctx, actor.organizationId, selection)
  const { newsletter = null, status = null } = selection
  await addAudit(ctx.pg, actor, {
    action: 'contact.exported',
    subjectType: 'newsletter',
    details: { newsletter, status },
  })
  return contactsAsCsv(ctx.pg, filter)
}

export async function* contactsAsCsv(pg: Database, filter: ContactFilter): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  let beforeId: string | undefined
  while (true) {
    const page = { beforeId, rowsMax: rowsPerPage }
    const rows = await listContacts(pg, { ...filter, withErased: false }, page)
    if (rows.length > 0) yield rows.map(lineOf).join('')
    beforeId = rows.at(-1)?.id
    if (rows.length < rowsPerPage) return
  }
}

function lineOf(contact: ListedContact): string {
  const cells: Readonly<Record<(typeof columns)[number], string | null>> = {
    id: contact.id,
    newsletter: contact.newsletter,
    email: contact.email,
    name: contact.name,
    status: contact.status,
    attribs: Object.keys(contact.attribs).length === 0 ? null : JSON.stringify(contact.attribs),
    source: contact.source,
    createdAt: contact.signupAt.toISOString(),
    confirmedAt: contact.confirmedAt?.toISOString() ?? null,
    unsubscribedAt: contact.unsubscribedAt?.toISOString() ?? null,
    suppressionCause: contact.suppressionCause,
    suppressedAt: contact.suppressedAt?.toISOString() ?? null,
    suppressionSource: contact.suppressionSource,
    statusBefore: contact.statusBefore,
  }
  return csvLine(columns.map((column) => cells[column]))
}
