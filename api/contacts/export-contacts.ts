/**
 * Contacts as CSV, row after row while it is being read: whatever the number, only a page of them is in memory. Who was erased is not
 * among them: a row without an address tells nothing, and no import could read it.
 */

import type { Database } from '../database.ts'
import { csvLine } from '../files/table-file.ts'
import { type ContactFilter, type ListedContact, listContacts } from './contact-lists.ts'

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

export async function* exportContacts(pg: Database, filter: ContactFilter): AsyncGenerator<string> {
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
