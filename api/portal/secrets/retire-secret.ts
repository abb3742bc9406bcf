/** Retires a secret of end-user auth: tokens that it signed are not valid any more. */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { findPortalOfOrganization, lockPortal } from '../settings/portal-settings-store.ts'
import { type SecretRow, setSecretRetired } from './enduser-secret-store.ts'

export interface RetireSecret {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly id: string
}

export function retireSecret(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, id }: RetireSecret,
): Promise<SecretRow> {
  const { organizationId } = actor
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    await lockPortal(pg, projectId)
    const retired = found(await setSecretRetired(pg, { projectId, id, now }))
    const portal = await findPortalOfOrganization(pg, { projectId, organizationId })
    if (portal?.settings.enduserAuth && portal.secrets.length === 0) {
      throw new CodedError('conflict', {
        message: 'This is the last live secret and end-user auth is on. Switch it off first.',
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
