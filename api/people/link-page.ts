/**
 * The page `/welcome/{token}` behind invitations and password links. Opening it changes nothing,
 * because mail programs and scanners open links too. Its form sets the password and logs in.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LinkBody } from '#schemas/rest/person.ts'
import { hashSecret, isToken } from '../auth/secret.ts'
import type { ApiContext } from '../context.ts'
import { html } from '../http/html-document.ts'
import type { ApiInstance } from '../http/route.ts'
import { checkValue } from '../http/validation/validation-rules.ts'
import { setLoginCookie } from '../logins/login-cookie.ts'
import { loginRequestOf } from '../logins/login-request.ts'
import { replyWithPage, replyWithUnknownLink } from '../preferences/contact-page.ts'
import { formFields, takeForms } from '../preferences/form-body.ts'
import { acceptPersonLink } from './accept-person-link.ts'
import { findPersonLink, type StoredPersonLink } from './person-link-store.ts'

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
      const input = { tokenHash: link.tokenHash, ...given.data }
      const accepted = await acceptPersonLink(ctx, loginRequestOf(request, reply, ctx), input)
      if (accepted.kind === 'unknown') return replyWithUnknownLink(reply)
      if (accepted.token !== undefined) {
        setLoginCookie(reply, accepted.token)
      }
      return replyWithPage(reply, {
        title: 'You are logged in',
        body: html`<h1>You are logged in</h1>
<p>Your password is set.</p>
<p><a href="/">Open the dashboard</a></p>`,
      })
    },
  })

  async function linkOf(request: FastifyRequest): Promise<FoundLink | undefined> {
    const { token } = request.params as { token: string }
    if (!isToken(token)) return undefined
    const tokenHash = hashSecret(token)
    const link = await findPersonLink(ctx.pg, { tokenHash, now: new Date(ctx.clock.nowMs()) })
    return link && { ...link, tokenHash }
  }
}

interface FoundLink extends StoredPersonLink {
  readonly tokenHash: Buffer
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
