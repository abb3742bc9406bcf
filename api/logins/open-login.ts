import { makeToken } from '../auth/secret.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { loginIdleMs, loginLifeMs } from './login-cookie.ts'
import { rememberLoginNetwork } from './login-network-store.ts'
import type { LoginRequest } from './login-request.ts'
import { addLogin, sweepLogins } from './login-store.ts'

const loginsPerPersonMax = 50

export interface OpenLogin {
  readonly personId: string
  readonly organizationId: string
  readonly request: LoginRequest
}

/** Call within a transaction. `token` is the value of the cookie; the database holds its hash. */
export async function openLogin(
  client: Database,
  { personId, organizationId, request }: OpenLogin,
  ctx: Pick<ApiContext, 'clock'>,
): Promise<{ token: string; csrfToken: string }> {
  const nowMs = ctx.clock.nowMs()
  const now = new Date(nowMs)
  const token = makeToken()
  const csrfToken = makeToken().value
  await addLogin(client, {
    personId,
    organizationId,
    tokenHash: token.hash,
    csrfToken,
    userAgent: request.userAgent,
    ip: request.ip,
    now,
    expiresAt: new Date(nowMs + loginLifeMs),
  })
  await sweepLogins(client, {
    personId,
    now,
    usedSince: new Date(nowMs - loginIdleMs),
    loginsMax: loginsPerPersonMax,
  })
  await rememberLoginNetwork(client, { personId, network: request.client.key, now })
  return { token: token.value, csrfToken }
}
