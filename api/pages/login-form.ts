/** The form of a page without a login: logs in, or requests a link to choose another password. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { CodedError, errorCodes } from '#schemas/error-codes.ts'
import { ForgottenPassword, LoginBody } from '#schemas/rest/person.ts'
import type { ApiContext } from '../context.ts'
import { beginErrorReply } from '../http/error-reply.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import { checkValue } from '../http/validation/validation-rules.ts'
import { logIn } from '../logins/log-in.ts'
import { setLoginCookie } from '../logins/login-cookie.ts'
import { loginRequestOf } from '../logins/login-request.ts'
import { requestPasswordLink } from '../people/request-password-link.ts'
import { loginPage, problemPage } from './login-page.ts'
import { findOrganizationOf } from './page-project-store.ts'
import type { TeamPage } from './send-page.ts'

export type LoginAction = 'login' | 'forgotten'

export interface LoginForm {
  readonly action: LoginAction
  readonly fields: URLSearchParams
  /** The project of the page. The login is for its organization if the person belongs to it. */
  readonly projectId: string
}

export function isLoginAction(action: string | null): action is LoginAction {
  return action === 'login' || action === 'forgotten'
}

/** Returns the page to show, which is the form again after a failure. */
export async function runLoginForm(
  ctx: ApiContext,
  form: LoginForm,
  http: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<TeamPage | 'logged_in'> {
  const email = form.fields.get('email') ?? ''
  const { request, reply } = http
  const from = loginRequestOf(request, reply, ctx)
  try {
    if (form.action === 'forgotten') {
      const hits = await requestPasswordLink(ctx, from, checked(ForgottenPassword, { email }))
      if (hits.kind === 'taken') return loginPage({ notice: linkSent, email })
      throw new CodedError('rate_limited', { retryAfterSeconds: hits.retryAfterSeconds })
    }
    const given = checked(LoginBody, { email, password: form.fields.get('password') ?? '' })
    const { token } = await logIn(ctx, from, {
      email: given.email,
      password: given.password,
      organizationId: undefined,
      preferredOrganizationId: await findOrganizationOf(ctx.pg, form.projectId),
    })
    setLoginCookie(reply, token)
    return 'logged_in'
  } catch (error) {
    const { code, message } = beginErrorReply(error, request, reply)
    const [status] = errorCodes[code]
    return status >= 500
      ? problemPage(status, message)
      : loginPage({ status, problem: message, email })
  }
}

const linkSent =
  'If a person has this address, an email with a link to choose another password is on its way. Then open this page again.'

function checked<Shape extends z.ZodType>(shape: Shape, given: unknown): z.output<Shape> {
  const result = checkValue(shape, given, 'form')
  if (!result.success) throw invalidFields(result.errors)
  return result.data
}
