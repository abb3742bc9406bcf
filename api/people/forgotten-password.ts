/**
 * Anybody may ask for the link, so it is asked for seldom, and the answer tells nothing: it is given before anybody looks who has
 * the address, so it comes after the same time for every address.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { backgroundOf } from '../http/background-work.ts'
import { loginClientOf } from '../logins/login-attempts.ts'
import { rateHeaders, takeHits } from '../rate-limits/rate-window-store.ts'
import { sendPersonEmail } from './person-emails.ts'
import { makePersonLink } from './person-link.ts'
import { findMailingOrganization, findPersonByEmail } from './person-store.ts'

const windowMs = 60 * 60_000
const perAddressMax = 3
const perNetworkMax = 20

export async function sendForgottenPassword(
  address: string,
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
): Promise<void> {
  const email = address.trim().toLowerCase()
  const now = new Date(ctx.clock.nowMs())
  const { network } = loginClientOf(request, ctx)
  const windows = [{ bucket: `forgotten:address:${email}`, hitsMax: perAddressMax, windowMs }]
  if (network !== null) {
    windows.push({ bucket: `forgotten:network:${network}`, hitsMax: perNetworkMax, windowMs })
  }
  const taken = await ctx.pg.transaction((client) => takeHits(client, windows, now))
  if (taken.kind === 'full') {
    reply.headers(rateHeaders(taken.window, taken.retryAfterSeconds))
    throw new CodedError('rate_limited')
  }
  backgroundOf(reply).after(reply, 'forgotten_password', () => sendLink(email, ctx))
}

async function sendLink(email: string, ctx: ApiContext): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    const person = await findPersonByEmail(client, email)
    const organizationId = person && (await findMailingOrganization(client, person))
    if (person === undefined || organizationId === undefined) return
    const link = await makePersonLink(client, person, ctx)
    await sendPersonEmail(client, { person, organizationId, link }, ctx)
  })
}
