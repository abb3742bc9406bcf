/** Checks a token as the portal would, and tells which user it names or why it is not valid. */
import type { TriedToken } from '#schemas/rest/portal/portal-settings.ts'
import type { ApiContext } from '../../context.ts'
import { checkEndUserToken } from '../gate/enduser-token.ts'
import { enduserSecretPurpose } from '../gate/portal-directory.ts'
import type { StoredPortal } from '../settings/portal-settings-store.ts'

export async function tryToken(
  ctx: Pick<ApiContext, 'clock' | 'box'>,
  { secrets, projectKey }: Pick<StoredPortal, 'secrets' | 'projectKey'>,
  token: string,
): Promise<TriedToken> {
  const keys = secrets.map(({ id, sealed }) =>
    Buffer.from(ctx.box.open(enduserSecretPurpose, id, sealed), 'utf8'),
  )
  const nowMs = ctx.clock.nowMs()
  const checked = await checkEndUserToken(token.trim(), { keys, projectKey, nowMs })
  if (checked.kind !== 'user') {
    return { valid: false, code: `token_${checked.kind}`, reason: checked.reason }
  }
  const { enduserId, email, name } = checked.user
  return {
    valid: true,
    enduser_id: enduserId,
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
  }
}
