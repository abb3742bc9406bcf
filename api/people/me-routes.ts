/** Routes of the person who is logged in: `/api/v1/me`. */
import { Me, MeChange } from '#schemas/rest/person.ts'
import { actorOf, forPeople, loginOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { registerMyLogins } from '../logins/my-login-routes.ts'
import { readMe } from '../logins/read-me.ts'
import { registerMyStops } from '../notifications/stops/my-stop-routes.ts'
import { findPerson } from './person-store.ts'
import { updateProfile } from './update-profile.ts'

const tags = ['people']

export async function registerMe(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)
  registerMyLogins(app, ctx)
  registerMyStops(app, ctx)

  app.route({
    method: 'GET',
    url: '/me',
    config: { hasSecrets: true },
    schema: {
      operationId: 'getMe',
      tags,
      summary: 'Get the person who is logged in',
      description: 'With their organizations, and the CSRF token that writes need.',
      response: replies(Me),
    },
    handler: async (request) => {
      const { personId, organizationId, csrfToken } = loginOf(request)
      const person = found(await findPerson(ctx.pg, personId))
      return readMe(ctx.pg, { person, organizationId, csrfToken })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/me',
    config: { role: 'viewer' },
    schema: {
      operationId: 'updateMe',
      tags,
      summary: 'Update your name or password, or switch to another organization',
      description:
        'A field that is left out keeps its value. A new password needs `current_password` and ends all other logins of the person.',
      body: MeChange,
      response: replies(Me),
    },
    handler: (request) =>
      updateProfile(ctx, actorOf(request), { login: loginOf(request), change: request.body }),
  })
}
