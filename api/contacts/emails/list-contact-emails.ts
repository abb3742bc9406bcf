import { z } from 'zod'
import { type EmailRef, formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { ContactEmail } from '#schemas/rest/email/contact-email.ts'
import { listNewestBounces } from '../../bounces/email-bounce-store.ts'
import type { ApiContext } from '../../context.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../../http/cursor.ts'
import { found, requireUuid } from '../../http/route.ts'
import { statusOf } from '../../sends/send-report.ts'
import { findContact } from '../contact-store.ts'
import { listContactEmailRows, type StoredContactEmail } from './contact-email-store.ts'

const Position = z.tuple([CursorTime, CursorUuid])

/**
 * Lists campaigns and single emails to the address of a contact, in all newsletters, newest first.
 * Throws `not_found` for a contact of another organization.
 */
export async function listContactEmails(
  ctx: Pick<ApiContext, 'pg'>,
  { organizationId }: { readonly organizationId: string },
  asked: {
    readonly contactId: string
    readonly limit: number
    readonly cursor?: string | undefined
  },
): Promise<Page<ContactEmail>> {
  const contact = await findContact(ctx.pg, requireUuid(asked.contactId))
  const { addressId } = found(contact?.organizationId === organizationId ? contact : undefined)
  const before = decodeCursor(asked.cursor, Position)
  const rowsMax = asked.limit + 1
  const rows = await listContactEmailRows(ctx.pg, { addressId, before, rowsMax })
  const page = pageOfRows(rows, asked.limit, (row) => [row.atText, row.id])
  const refs = page.items.map((row) => formatEmailRef(refOf(row)))
  const bounces = await listNewestBounces(ctx.pg, { organizationId, refs })
  return {
    ...page,
    items: page.items.map((row, index) => ({
      ...view(row),
      bounce: bounces.get(refs[index] ?? '') ?? null,
    })),
  }
}

function refOf({ id, contactId }: StoredContactEmail): EmailRef {
  return contactId === null
    ? { kind: 'send', sendId: id }
    : { kind: 'delivery', campaignId: id, contactId }
}

function view(row: StoredContactEmail): Omit<ContactEmail, 'bounce'> {
  const { state, finishedAt, openedAt, clickedAt, at, atText: _, ...shown } = row
  return {
    ...shown,
    status: statusOf[state],
    at: at.toISOString(),
    deliveredAt: state === 'sent' ? (finishedAt?.toISOString() ?? null) : null,
    openedAt: openedAt?.toISOString() ?? null,
    clickedAt: clickedAt?.toISOString() ?? null,
  }
}
