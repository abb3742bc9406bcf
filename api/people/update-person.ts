import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { Role } from '../logins/login-store.ts'
import { findMember, type ListedPerson, setRole } from './person-store.ts'
import { requireAnotherOwner } from './require-another-owner.ts'

/** Changes the role of a member. The last owner stays an owner. */
export async function updatePerson(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { personId, role }: { readonly personId: string; readonly role: Role },
): Promise<ListedPerson> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const person = found(await findMember(client, { organizationId, named: personId }))
    if (role !== 'owner') await requireAnotherOwner(client, organizationId, personId)
    await setRole(client, { organizationId, personId, role })
    await addAudit(client, actor, {
      action: 'person.role_changed',
      subjectType: 'person',
      subjectId: personId,
      details: { email: person.email, from: person.role, to: role },
    })
    return found(await findMember(client, { organizationId, named: personId }))
  })
}
