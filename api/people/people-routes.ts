/** Routes of logins, with and without the prefix `/api/v1`, and the page behind one-time links. */
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

/** Routes without the prefix are duplicates and are left out of the documentation. */
function hideFromDocs(scope: ApiInstance): void {
  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true }
  })
}
