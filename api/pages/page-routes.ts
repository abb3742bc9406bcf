/**
 * The pages that links in notifications open (`schemas/page-path.ts`): issues, monitors, ideas and
 * feedback. Without a login they are a login form, at the same address. Forms post to the address
 * of their page and redirect back to it, to relative URLs only.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError, errorCodes } from '#schemas/error-codes.ts'
import { requireScope } from '../auth/access-token.ts'
import { actorOf, admitLogin, noteLoginUse, requireCsrfToken } from '../auth/people-gate.ts'
import { personCaller } from '../auth/person-caller.ts'
import type { ApiContext } from '../context.ts'
import { beginErrorReply } from '../http/error-reply.ts'
import { type ApiInstance, requireUuid } from '../http/route.ts'
import { findHostileText } from '../http/validation/hostile-text.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import { clearLoginCookie } from '../logins/login-cookie.ts'
import { deleteLogin, type StoredLogin } from '../logins/login-store.ts'
import { updateProfile } from '../people/update-profile.ts'
import { ownOrigins } from '../portal/gate/portal-origin.ts'
import { isForeignForm } from '../portal/page/foreign-form.ts'
import { formFields, takeForms } from '../preferences/form-body.ts'
import { findProject } from '../projects/project-store.ts'
import { feedbackPage } from './feedback-page.ts'
import { ideaPage } from './idea-page.ts'
import { issuePage } from './issue/issue-page.ts'
import { isLoginAction, runLoginForm } from './login-form.ts'
import { loginPage, problemPage, switchPage } from './login-page.ts'
import { monitorPage } from './monitor-page.ts'
import { findSharedOrganization, type PageOrganization } from './page-project-store.ts'
import { sendPage } from './send-page.ts'
import type { PageKind, PageVisit, RefusedForm } from './team-page-kind.ts'

const kinds: readonly PageKind[] = [issuePage, monitorPage, ideaPage, feedbackPage]
const hidden = { schema: { hide: true } } as const

/** The project of the page belongs to another organization of the person. */
class OtherOrganization extends Error {
  readonly organization: PageOrganization

  constructor(organization: PageOrganization) {
    super('the page belongs to another organization')
    this.organization = organization
  }
}

export async function registerPages(app: ApiInstance, ctx: ApiContext): Promise<void> {
  const own = ownOrigins(ctx.apiUrl)
  takeForms(app)
  app.addHook('onResponse', (request) => noteLoginUse(request, ctx))
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))

  for (const kind of kinds) {
    app.get(kind.url, hidden, async (request, reply) => {
      return showPage(kind, await visitOf(kind, request, reply), reply)
    })

    app.post(kind.url, hidden, async (request, reply) => {
      const fields = await fieldsOf(request)
      const action = fields.get('action')
      if (isLoginAction(action)) {
        const projectId = projectIdIn(request)
        const page = await runLoginForm(ctx, { action, fields, projectId }, { request, reply })
        return page === 'logged_in' ? goTo(reply, kind.segment(request)) : sendPage(reply, page)
      }
      const login = await admitLogin(request, reply, ctx)
      requireOwnForm(login, fields)
      if (action === 'logout') {
        await deleteLogin(ctx.pg, login.loginId)
        clearLoginCookie(reply)
        return goTo(reply, kind.segment(request))
      }
      if (action === 'switch') {
        const projectId = projectIdIn(request)
        const there = await findSharedOrganization(ctx.pg, { projectId, personId: login.personId })
        if (there === undefined) throw new CodedError('not_found')
        const change = { organization_id: there.id }
        await updateProfile(ctx, actorOf(request), { login, change })
        return goTo(reply, kind.segment(request))
      }
      return runForm(kind, await visitWith(kind, login, request), fields, reply)
    })
  }

  /** The fields of a form of our own pages. */
  async function fieldsOf(request: FastifyRequest): Promise<URLSearchParams> {
    if (isForeignForm(request, own)) throw new CodedError('csrf_failed', { message: foreignForm })
    const fields = await formFields(request)
    const error = findHostileText(Object.fromEntries(fields), 'form')
    if (error !== undefined) throw invalidFields([error])
    return fields
  }

  async function visitOf(
    kind: PageKind,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PageVisit> {
    return visitWith(kind, await admitLogin(request, reply, ctx), request)
  }

  async function visitWith(
    kind: PageKind,
    login: StoredLogin,
    request: FastifyRequest,
  ): Promise<PageVisit> {
    const caller = personCaller(login)
    requireScope(caller, kind.scope)
    const { organizationId, personId } = login
    const projectId = projectIdIn(request)
    const project = await findProject(ctx.pg, { id: projectId, organizationId })
    if (project !== undefined) return { ctx, request, login, caller, project }
    const there = await findSharedOrganization(ctx.pg, { projectId, personId })
    throw there === undefined ? new CodedError('not_found') : new OtherOrganization(there)
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const login = request.getDecorator<StoredLogin | undefined>('login')
    if (error instanceof OtherOrganization && login !== undefined) {
      return sendPage(reply, switchPage(login, error.organization))
    }
    const { code, message } = beginErrorReply(error, request, reply)
    const [status] = errorCodes[code]
    if (code === 'missing_credentials' || code === 'invalid_credentials') {
      const wasForm = request.method === 'POST'
      return sendPage(reply, loginPage({ problem: wasForm ? loginEnded : undefined }))
    }
    return sendPage(reply, problemPage(status, message, login))
  }
}

const foreignForm = 'This form was sent from a page of another site. Open the page again.'
const otherLogin = 'This form belongs to another login. Open the page again, and repeat it.'
const loginEnded = 'Your login has ended. Log in, and repeat what you did: nothing was changed.'

function requireOwnForm(login: StoredLogin, fields: URLSearchParams): void {
  try {
    requireCsrfToken(login, fields.get('csrf_token'))
  } catch (cause) {
    throw new CodedError('csrf_failed', { message: otherLogin, cause })
  }
}

async function showPage(
  kind: PageKind,
  visit: PageVisit,
  reply: FastifyReply,
  refused?: RefusedForm & { readonly status: number },
): Promise<FastifyReply> {
  const shown = await kind.show(visit, refused)
  if (shown.kind === 'moved') return goTo(reply, shown.to)
  const { title, main } = shown
  return sendPage(reply, { status: refused?.status ?? 200, title, main, login: visit.login })
}

async function runForm(
  kind: PageKind,
  visit: PageVisit,
  fields: URLSearchParams,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (kind.act === undefined) throw new CodedError('method_not_allowed')
  try {
    const { done, to = kind.segment(visit.request) } = await kind.act(visit, fields)
    return goTo(reply, `${to}?done=${done}`)
  } catch (error) {
    const isRefused = error instanceof CodedError && error.code === 'validation_failed'
    if (!isRefused) throw error
    const [status] = errorCodes.validation_failed
    return showPage(kind, visit, reply, { problem: error.message, fields, status })
  }
}

/** Relative to the path of the page: it works behind any prefix and never leaves the site. */
function goTo(reply: FastifyReply, segment: string): FastifyReply {
  return reply.redirect(`./${segment}`, 303)
}

function projectIdIn(request: FastifyRequest): string {
  return requireUuid((request.params as { project_id: string }).project_id)
}
