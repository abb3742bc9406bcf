import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { deleteStoredContact } from './contact-store.ts'
import { lockContact } from './lock-contact.ts'

/** Deletes a contact and its events from its newsletter. A suppression of the address stays. */
export async function deleteContact(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { contactId }: { readonly contactId: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    const contact = await lockContact(client, actor, contactId)
    await deleteStoredContact(client, contact.id)
    await addAudit(client, actor, {
      action: 'contact.removed',
      subjectType: 'contact',
      subjectId: contact.id,
      details: { newsletterId: contact.newsletterId },
    })
  })
}
