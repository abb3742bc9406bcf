import type { ContactItem } from '#schemas/rest/email/contact-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { type ChangedBy, changeOrigin } from './change-origin.ts'
import { readContact } from './contact-view.ts'
import { lockContact } from './lock-contact.ts'
import { unsubscribe } from './unsubscribe.ts'

/** Unsubscribes a contact. For a contact that is not subscribed nothing changes or is recorded. */
export async function unsubscribeContact(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { contactId, by }: { readonly contactId: string; readonly by: ChangedBy },
): Promise<ContactItem> {
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const contact = await lockContact(client, actor, contactId)
    const act = { via: changeOrigin(actor), source: by.name, ip: by.ip, now }
    if (await unsubscribe(client, { contactId: contact.id, ...act })) {
      await addAudit(client, actor, {
        action: 'contact.unsubscribed',
        subjectType: 'contact',
        subjectId: contact.id,
        details: { newsletterId: contact.newsletterId },
      })
    }
    return readContact(client, contact)
  })
}
