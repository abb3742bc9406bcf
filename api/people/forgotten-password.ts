/** Anybody may ask for the link, so it is asked for seldom, and the answer tells nothing. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { clientAddress } from '../http/client-address.ts'
import { findPersonByEmail, listMemberships } from '../io/person-store.ts'
import { rateHeaders, takeHits } from '../io/rate-window-store.ts'
import { sendPersonLetter } from './person-letters.ts'
import { makePersonLink } from './person-link.ts'

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
  const windows = [
    { bucket: `forgotten:address:${email}`, hitsMax: perAddressMax, windowMs },
    { bucket: `forgotten:network:${clientAddress(request)}`, hitsMax: perNetworkMax, windowMs },
  ]
  await ctx.pg.transaction(async (client) => {
    const taken = await takeHits(client, windows, now)
    if (taken.kind === 'full') {
      reply.headers(rateHeaders(taken.window, taken.retryAfterSeconds))
      throw new CodedError('rate_limited')
    }
    const person = await findPersonByEmail(client, email)
    const [organization] = person === undefined ? [] : await listMemberships(client, person.id)
    if (person === undefined || organization === undefined) return
    const link = await makePersonLink(client, person, ctx)
    await sendPersonLetter(client, { person, organizationId: organization.id, link }, ctx)
  })
}
