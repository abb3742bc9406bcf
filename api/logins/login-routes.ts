/** The routes that need no login: logging in, and asking for a password link. */
import { CodedError } from '#schemas/error-codes.ts'
import { ForgottenPassword, LoginBody, Me } from '#schemas/rest/person.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, nullReply } from '../http/route.ts'
import { requestPasswordLink } from '../people/request-password-link.ts'
import { rateHeaders } from '../rate-limits/rate-window-store.ts'
import { logIn } from './log-in.ts'
import { setLoginCookie } from './login-cookie.ts'
import { loginRequestOf } from './login-request.ts'

const tags = ['logins']
const errorReplies = { 400: Problem, 401: Problem, 403: Problem, 429: Problem, 503: Problem }

export function registerLogin(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/login',
    schema: {
      operationId: 'logIn',
      tags,
      summary: 'Log in',
      description:
        'Sets the cookie `sluice_login`. After five wrong passwords each further attempt has to wait, from one minute up to fifteen: 429 with `Retry-After`. Failures elsewhere do not delay a network from which the person has logged in before.',
      body: LoginBody,
      response: { ...errorReplies, 200: Me },
    },
    handler: async (request, reply) => {
      const { email, password, organization_id: organizationId } = request.body
      const input = { email, password, organizationId }
      const { me, token } = await logIn(ctx, loginRequestOf(request, reply, ctx), input)
      setLoginCookie(reply, token)
      return me
    },
  })

  app.route({
    method: 'POST',
    url: '/forgotten-password',
    schema: {
      operationId: 'requestPasswordLink',
      tags,
      summary: 'Request an email with a link to choose another password',
      description: 'The reply is the same whether or not the address belongs to a person.',
      body: ForgottenPassword,
      response: { ...errorReplies, 202: nullReply },
    },
    handler: async (request, reply) => {
      const hits = await requestPasswordLink(ctx, loginRequestOf(request, reply, ctx), request.body)
      if (hits.kind === 'full') {
        reply.headers(rateHeaders(hits.window, hits.retryAfterSeconds))
        throw new CodedError('rate_limited')
      }
      reply.code(202)
      return null
    },
  })
}
