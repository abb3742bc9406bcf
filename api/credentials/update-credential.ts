import type { CredentialChange } from '#schemas/rest/organization.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { checkExpiry } from './check-expiry.ts'
import {
  type CredentialTable,
  changeCredential,
  credentialNouns,
  type StoredCredential,
} from './credential-store.ts'

export interface UpdateCredential {
  readonly table: CredentialTable
  readonly id: string
  readonly change: CredentialChange
}

/** Renames an access token or an API key, sets when it expires, or revokes it permanently. */
export async function updateCredential(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { table, id, change }: UpdateCredential,
): Promise<StoredCredential> {
  checkExpiry(change.expires_at, ctx.clock)
  const { organizationId } = actor
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const named = { organizationId, id }
    const credential = found(await changeCredential(client, table, named, { ...change, now }))
    const noun = credentialNouns[table]
    await addAudit(client, actor, {
      action: `${noun}.${change.revoked ? 'revoked' : 'changed'}`,
      subjectType: noun,
      subjectId: id,
      details: { prefix: credential.prefix, label: credential.label, ...change },
    })
    return credential
  })
}
