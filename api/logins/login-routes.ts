/** Coming in: the two routes that need no login. */
import { ForgottenPassword, LoginBody, Me } from '#schemas/rest/person.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { clientIp } from '../http/client-address.ts'
import { type ApiInstance, nullReply } from '../http/route.ts'
import { sendForgottenPassword } from '../people/forgotten-password.ts'
import { listMemberships } from '../people/person-store.ts'
import { checkPassword, chooseMembership, meOf, openLogin } from './log-in.ts'

const tags = ['people']
const errorReplies = { 400: Problem, 401: Problem, 403: Problem, 429: Problem, 503: Problem }

export function registerLogin(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/login',
    schema: {
      tags,
      summary: 'Log in',
      description:
        'Sets the cookie `sluice_login`. After five failures each further attempt has to wait, first a minute, at most fifteen: 429 with `Retry-After`. Failures from elsewhere do not delay a network from which the person has logged in before.',
      body: LoginBody,
      response: { ...errorReplies, 200: Me },
    },
    handler: async (request, reply) => {
      const person = await checkPassword(request.body, request, reply, ctx)
      const memberships = await listMemberships(ctx.pg, person.id)
      const { id: organizationId } = chooseMembership(memberships, request.body.organization_id)
      const { csrfToken } = await ctx.pg.transaction(async (client) => {
        await addAudit(
          client,
          {
            organizationId,
            personId: person.id,
            name: person.email,
            via: 'login',
            ip: clientIp(request),
          },
          { action: 'person.logged_in', subjectType: 'person', subjectId: person.id },
        )
        return openLogin(client, { id: person.id, organizationId }, { request, reply, ctx })
      })
      return meOf(ctx.pg, { person, organizationId, csrfToken })
    },
  })

  app.route({
    method: 'POST',
    url: '/forgotten-password',
    schema: {
      tags,
      summary: 'Ask for a letter with a link to choose another password',
      description: 'The answer is the same whether or not somebody has this address.',
      body: ForgottenPassword,
      response: { ...errorReplies, 202: nullReply },
    },
    handler: async (request, reply) => {
      await sendForgottenPassword(request.body.email, request, reply, ctx)
      reply.code(202)
      return null
    },
  })
}
