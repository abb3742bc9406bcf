/**
 * `/welcome/{token}`: where an invitation and a forgotten password lead. Opening the page changes nothing, because mail programs and
 * scanners open links too; the form behind it sets the password, ends all logins before it, and logs in.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LinkBody } from '#schemas/rest/person.ts'
import { addAudit } from '../audit/audit-store.ts'
import { hashPassword } from '../auth/password.ts'
import { hashSecret, isToken } from '../auth/secret.ts'
import type { ApiContext } from '../context.ts'
import { clientIp } from '../http/client-address.ts'
import type { ApiInstance } from '../http/route.ts'
import { checkValue } from '../http/validation/validation-rules.ts'
import { openLogin } from '../logins/log-in.ts'
import { deleteOtherLogins } from '../logins/login-store.ts'
import { html, replyWithPage, replyWithUnknownLink } from '../preferences/contact-page.ts'
import { formFields, takeForms } from '../preferences/form-body.ts'
import { findPersonLink, type StoredPersonLink, usePersonLink } from './person-link-store.ts'
import { listMemberships, setName, setPassword } from './person-store.ts'

export async function registerLinkPage(app: ApiInstance, ctx: ApiContext): Promise<void> {
  takeForms(app)

  app.route({
    method: 'GET',
    url: '/welcome/:token',
    config: { linkKinds: ['person_link'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = await linkOf(request)
      return link === undefined ? replyWithUnknownLink(reply) : replyWithForm(reply, link)
    },
  })

  app.route({
    method: 'POST',
    url: '/welcome/:token',
    config: { linkKinds: ['person_link'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = await linkOf(request)
      if (link === undefined) return replyWithUnknownLink(reply)
      const fields = await formFields(request)
      const name = fields.get('name')?.trim()
      const given = checkValue(
        LinkBody,
        {
          password: fields.get('password') ?? '',
          ...(name ? { name } : {}),
        },
        'form',
      )
      if (!given.success) {
        const [{ field, rule }] = given.errors
        return replyWithForm(reply, link, `The ${field} ${rule}.`)
      }
      const used = await setFirstPassword(request, reply, given.data)
      if (!used) return replyWithUnknownLink(reply)
      return replyWithPage(reply, {
        title: 'You are logged in',
        body: html`<h1>You are logged in</h1><p>Your password is set. You can close this page.</p>`,
      })
    },
  })

  async function linkOf(request: FastifyRequest): Promise<StoredPersonLink | undefined> {
    const tokenHash = tokenHashOf(request)
    if (tokenHash === undefined) return undefined
    return findPersonLink(ctx.pg, { tokenHash, now: new Date(ctx.clock.nowMs()) })
  }

  /** False: another request was first. */
  async function setFirstPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    given: LinkBody,
  ): Promise<boolean> {
    const tokenHash = tokenHashOf(request)
    if (tokenHash === undefined) return false
    const passwordHash = await hashPassword(given.password)
    const now = new Date(ctx.clock.nowMs())
    return ctx.pg.transaction(async (client) => {
      const link = await usePersonLink(client, { tokenHash, now })
      if (link === undefined) return false
      const { personId, kind, email } = link
      await setPassword(client, { personId, passwordHash, now })
      if (kind === 'invite' && given.name !== undefined) {
        await setName(client, personId, given.name)
      }
      await deleteOtherLogins(client, { personId, keptId: null })
      const [organization] = await listMemberships(client, personId)
      if (organization === undefined) return true
      const organizationId = organization.id
      await addAudit(
        client,
        { organizationId, personId, name: email, via: 'login', ip: clientIp(request) },
        {
          action: kind === 'invite' ? 'person.joined' : 'person.password_changed',
          subjectType: 'person',
          subjectId: personId,
        },
      )
      await openLogin(client, { id: personId, organizationId }, { request, reply, ctx })
      return true
    })
  }
}

function tokenHashOf(request: FastifyRequest): Buffer | undefined {
  const { token } = request.params as { token: string }
  return isToken(token) ? hashSecret(token) : undefined
}

function replyWithForm(reply: FastifyReply, link: StoredPersonLink, error?: string) {
  const title = link.kind === 'invite' ? 'Choose a password' : 'Choose another password'
  const name =
    link.kind === 'invite'
      ? html`<label class="field">Your name<input type="text" name="name" maxlength="100" autocomplete="name" value="${link.name ?? ''}"></label>`
      : html``
  return replyWithPage(reply, {
    status: error === undefined ? 200 : 400,
    title,
    body: html`<h1>${title}</h1>
<p>For the login of ${link.email}.</p>
${error === undefined ? html`` : html`<p role="alert"><strong>${error}</strong></p>`}
<form method="post">
${name}
<label class="field">Password, ten characters or more<input type="password" name="password" required minlength="10" maxlength="200" autocomplete="new-password"></label>
<p><button class="act" type="submit">Save and log in</button></p>
</form>`,
  })
}
