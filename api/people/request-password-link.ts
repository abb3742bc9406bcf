import type { ApiContext } from '../context.ts'
import type { LoginRequest } from '../logins/login-request.ts'
import { type TakenHits, takeHits } from '../rate-limits/rate-window-store.ts'
import { sendPersonEmail } from './person-emails.ts'
import { makePersonLink } from './person-link.ts'
import { findMailingOrganization, findPersonByEmail } from './person-store.ts'

const windowMs = 60 * 60_000
const perAddressMax = 3
const perNetworkMax = 20

/**
 * Sends a link to choose another password, if a person has the address. Anybody may ask, so
 * requests are limited per address and per network. The lookup happens after the reply, so that the
 * reply takes the same time for every address.
 */
export async function requestPasswordLink(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'mailFrom' | 'box'>,
  request: Pick<LoginRequest, 'client' | 'afterReply'>,
  given: { readonly email: string },
): Promise<TakenHits> {
  const email = given.email.trim().toLowerCase()
  const now = new Date(ctx.clock.nowMs())
  const { network } = request.client
  const windows = [{ bucket: `forgotten:address:${email}`, hitsMax: perAddressMax, windowMs }]
  if (network !== null) {
    windows.push({ bucket: `forgotten:network:${network}`, hitsMax: perNetworkMax, windowMs })
  }
  const hits = await ctx.pg.transaction((client) => takeHits(client, windows, now))
  if (hits.kind === 'taken') request.afterReply('forgotten_password', () => sendLink(ctx, email))
  return hits
}

async function sendLink(
  ctx: Pick<ApiContext, 'pg' | 'clock' | 'apiUrl' | 'mailFrom' | 'box'>,
  email: string,
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    const person = await findPersonByEmail(client, email)
    const organizationId = person && (await findMailingOrganization(client, person))
    if (person === undefined || organizationId === undefined) return
    const link = await makePersonLink(client, person, ctx)
    await sendPersonEmail(client, { person, organizationId, link }, ctx)
  })
}
