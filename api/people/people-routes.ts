/** Logins, at `/api/v1` and also without it, and the pages of one-time links. */
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerLogin } from '../logins/login-routes.ts'
import { registerLinkPage } from './link-page.ts'
import { registerMe } from './me-routes.ts'

export async function registerPeople(app: ApiInstance, ctx: ApiContext): Promise<void> {
  for (const prefix of ['/api/v1', '']) {
    await app.register(
      async (scope) => {
        if (prefix === '') hideFromDocs(scope.withTypeProvider())
        registerLogin(scope.withTypeProvider(), ctx)
        await scope.register((people) => registerMe(people.withTypeProvider(), ctx))
      },
      { prefix },
    )
  }
  await app.register((scope) => registerLinkPage(scope.withTypeProvider(), ctx))
}

/** One of two names of a route is enough to read about. */
function hideFromDocs(scope: ApiInstance): void {
  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true }
  })
}
