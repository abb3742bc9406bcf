import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import {
  type CredentialTable,
  credentialNouns,
  deleteCredential as deleteRow,
  type StoredCredential,
} from './credential-store.ts'

/** Deletes an access token or an API key. The next request that uses it is refused. */
export async function deleteCredential(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { table, id }: { readonly table: CredentialTable; readonly id: string },
): Promise<StoredCredential> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const deleted = found(await deleteRow(client, table, { organizationId, id }))
    const noun = credentialNouns[table]
    await addAudit(client, actor, {
      action: `${noun}.deleted`,
      subjectType: noun,
      subjectId: id,
      details: { prefix: deleted.prefix, label: deleted.label },
    })
    return deleted
  })
}
