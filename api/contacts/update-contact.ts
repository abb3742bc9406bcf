import type { ContactChange, ContactItem } from '#schemas/rest/email/contact-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { type ChangedBy, changeOrigin } from './change-origin.ts'
import { addContactEvent, changeContact } from './contact-store.ts'
import { readContact } from './contact-view.ts'
import { lockContact } from './lock-contact.ts'
import { mergeAttribs } from './signup/plan-signup.ts'

/** Changes name and attributes. A field that is left out stays; null or blank removes the name. */
export async function updateContact(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  input: { readonly contactId: string; readonly change: ContactChange; readonly by: ChangedBy },
): Promise<ContactItem> {
  const { contactId, change, by } = input
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const contact = await lockContact(client, actor, contactId)
    const attribs = mergeAttribs(contact.attribs, change.attribs ?? {})
    const name = 'name' in change ? (change.name ?? null) : contact.name
    await changeContact(client, { ...contact, name, attribs, now })
    const details = { fields: Object.keys(change) }
    await addContactEvent(client, {
      contactId: contact.id,
      kind: 'changed',
      via: changeOrigin(actor),
      source: by.name,
      ip: by.ip,
      details,
      now,
    })
    await addAudit(client, actor, {
      action: 'contact.changed',
      subjectType: 'contact',
      subjectId: contact.id,
      details,
    })
    return readContact(client, contact)
  })
}
