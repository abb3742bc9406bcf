/** Making and retiring the secrets of end-user auth, by people and from the command line. */
import { randomBytes } from 'node:crypto'
import type { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { Postgres } from '../../database.ts'
import { found } from '../../http/route.ts'
import { enduserSecretPurpose } from '../gate/portal-directory.ts'
import { findPortalOfOrganization, lockPortal } from '../settings/portal-settings-store.ts'
import { addSecret, retireSecret, type SecretRow } from './enduser-secret-store.ts'

const secretBytes = 32
const prefixCharacters = 6

export interface SecretContext {
  readonly pg: Pick<Postgres, 'transaction'>
  readonly box: Pick<SecretBox, 'seal'>
}

export interface SecretChange {
  /** Of the actor's organization. */
  readonly projectId: string
  readonly actor: Actor
  readonly now: Date
}

/** The one time that the secret itself is known. */
export async function makeSecret(
  ctx: SecretContext,
  { projectId, actor, now }: SecretChange,
): Promise<{ row: SecretRow; secret: string }> {
  const secret = randomBytes(secretBytes).toString('base64url')
  const row = await ctx.pg.transaction(async (pg) => {
    await lockPortal(pg, projectId)
    const added = await addSecret(pg, {
      ...{ projectId, now },
      prefix: secret.slice(0, prefixCharacters),
      seal: (id) => ctx.box.seal(enduserSecretPurpose, id, secret),
    })
    if (added === undefined) {
      throw new CodedError('conflict', {
        message: 'Two secrets are live already: retire one first.',
      })
    }
    await addAudit(pg, actor, {
      action: 'enduser_secret.created',
      subjectType: 'enduser_secret',
      subjectId: added.id,
      details: { project_id: projectId, prefix: added.prefix },
    })
    return added
  })
  return { row, secret }
}

export function retireSecretOf(
  postgres: Pick<Postgres, 'transaction'>,
  { projectId, id, actor, now }: SecretChange & { readonly id: string },
): Promise<SecretRow> {
  const { organizationId } = actor
  return postgres.transaction(async (pg) => {
    await lockPortal(pg, projectId)
    const retired = found(await retireSecret(pg, { projectId, id, now }))
    const left = await findPortalOfOrganization(pg, { projectId, organizationId })
    if (left?.settings.enduserAuth && left.secrets.length === 0) {
      throw new CodedError('conflict', {
        message: 'End-user auth is on and this is its last secret: switch it off first.',
      })
    }
    await addAudit(pg, actor, {
      action: 'enduser_secret.retired',
      subjectType: 'enduser_secret',
      subjectId: id,
      details: { project_id: projectId, prefix: retired.prefix },
    })
    return retired
  })
}
