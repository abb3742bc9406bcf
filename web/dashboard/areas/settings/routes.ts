import { type AreaRoute, pageRoute } from '../route.ts'
import { projectSettingsRoutes } from './project-routes.ts'

export const settingsRoutes: readonly AreaRoute[] = [
  ...projectSettingsRoutes,
  pageRoute('/account', () => import('./account/account-page.tsx').then((m) => m.AccountPage)),
  pageRoute('/organization', () =>
    import('./organization/people-page.tsx').then((m) => m.PeoplePage),
  ),
  pageRoute('/organization/teams', () =>
    import('./organization/teams-page.tsx').then((m) => m.TeamsPage),
  ),
  pageRoute('/organization/projects', () =>
    import('./organization/projects-page.tsx').then((m) => m.ProjectsPage),
  ),
  pageRoute('/organization/tokens', () =>
    import('./organization/tokens-page.tsx').then((m) => m.TokensPage),
  ),
  pageRoute('/organization/api-keys', () =>
    import('./organization/api-keys-page.tsx').then((m) => m.ApiKeysPage),
  ),
  pageRoute('/organization/webhooks', () =>
    import('./organization/webhooks-page.tsx').then((m) => m.WebhooksPage),
  ),
  pageRoute('/organization/audit', () =>
    import('./organization/audit/audit-page.tsx').then((m) => m.AuditPage),
  ),
  pageRoute('/organization/data', () =>
    import('./organization/data-page.tsx').then((m) => m.DataPage),
  ),
]
