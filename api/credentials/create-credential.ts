import type { AccessScope } from '#schemas/rest/access-scope.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { checkExpiry } from './check-expiry.ts'
import {
  addAccessToken,
  addApiKey,
  type CredentialTable,
  credentialNouns,
  findCredential,
  type StoredCredential,
} from './credential-store.ts'

export interface CreateCredential {
  readonly table: CredentialTable
  readonly label: string
  /** The scopes of an access token; undefined for the default ones. */
  readonly scopes?: readonly AccessScope[] | undefined
  /** ISO 8601; null or undefined for never. */
  readonly expiresAt?: string | null | undefined
}

export interface CreatedCredential {
  readonly credential: StoredCredential
  /** The secret. Only its hash is stored, so it is available here and never again. */
  readonly value: string
}

/** Creates an access token or an API key. */
export async function createCredential(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { table, label, scopes, expiresAt: expiry }: CreateCredential,
): Promise<CreatedCredential> {
  const { organizationId, personId: createdBy } = actor
  const expiresAt = checkExpiry(expiry, ctx.clock)
  const fields = { organizationId, label, expiresAt, createdBy }
  return ctx.pg.transaction(async (client) => {
    const { id, value } =
      table === 'api_keys'
        ? await addApiKey(client, fields)
        : await addAccessToken(client, scopes === undefined ? fields : { ...fields, scopes })
    const credential = found(await findCredential(client, table, { organizationId, id }))
    const noun = credentialNouns[table]
    await addAudit(client, actor, {
      action: `${noun}.created`,
      subjectType: noun,
      subjectId: id,
      details: { prefix: credential.prefix, label },
    })
    return { credential, value }
  })
}
