import { addAudit } from '../audit/audit-store.ts'
import { hashPassword } from '../auth/password.ts'
import type { ApiContext } from '../context.ts'
import type { LoginRequest } from '../logins/login-request.ts'
import { deleteOtherLogins } from '../logins/login-store.ts'
import { openLogin } from '../logins/open-login.ts'
import { usePersonLink } from './person-link-store.ts'
import { listMemberships, setName, setPassword } from './person-store.ts'

export interface AcceptPersonLink {
  readonly tokenHash: Buffer
  readonly password: string
  /** Used for an invitation only. */
  readonly name?: string | undefined
}

export type AcceptedLink =
  /** Used, replaced or expired in the meantime. */
  | { readonly kind: 'unknown' }
  /** `token` is the value of the login cookie; undefined when the person has no organization. */
  | { readonly kind: 'accepted'; readonly token: string | undefined }

/**
 * Sets the password of the person of a one-time link, ends their earlier logins and logs them in.
 */
export async function acceptPersonLink(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  request: LoginRequest,
  { tokenHash, password, name }: AcceptPersonLink,
): Promise<AcceptedLink> {
  const passwordHash = await hashPassword(password)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const link = await usePersonLink(client, { tokenHash, now })
    if (link === undefined) return { kind: 'unknown' }
    const { personId, kind, email } = link
    await setPassword(client, { personId, passwordHash, now })
    if (kind === 'invite' && name !== undefined) await setName(client, personId, name)
    await deleteOtherLogins(client, { personId, keptId: null })
    const [organization] = await listMemberships(client, personId)
    if (organization === undefined) return { kind: 'accepted', token: undefined }
    const organizationId = organization.id
    const actor = { organizationId, personId, name: email, via: 'login', ip: request.ip } as const
    await addAudit(client, actor, {
      action: kind === 'invite' ? 'person.joined' : 'person.password_changed',
      subjectType: 'person',
      subjectId: personId,
    })
    const { token } = await openLogin(client, { personId, organizationId, request }, ctx)
    return { kind: 'accepted', token }
  })
}
