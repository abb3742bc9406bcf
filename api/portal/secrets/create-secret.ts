/** Creates a secret of end-user auth. Only this result contains its text. */
import { randomBytes } from 'node:crypto'
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { enduserSecretPurpose } from '../gate/portal-directory.ts'
import { lockPortal } from '../settings/portal-settings-store.ts'
import { addSecret, liveSecretsMax, type SecretRow } from './enduser-secret-store.ts'

const secretBytes = 32
const prefixCharacters = 6

export interface CreateSecret {
  /** A project of the actor's organization. */
  readonly projectId: string
}

export async function createSecret(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'box'>,
  actor: Actor,
  { projectId }: CreateSecret,
): Promise<{ row: SecretRow; secret: string }> {
  const secret = randomBytes(secretBytes).toString('base64url')
  const now = new Date(ctx.clock.nowMs())
  const row = await ctx.pg.transaction(async (pg) => {
    await lockPortal(pg, projectId)
    const added = await addSecret(pg, {
      projectId,
      prefix: secret.slice(0, prefixCharacters),
      seal: (id) => ctx.box.seal(enduserSecretPurpose, id, secret),
      now,
    })
    if (added === undefined) {
      throw new CodedError('conflict', {
        message: `A portal has at most ${liveSecretsMax} live secrets. Retire one first.`,
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
