import { type AreaRoute, pageRoute } from '../route.ts'

export const projectSettingsRoutes: readonly AreaRoute[] = [
  pageRoute('/projects/:project_id/settings', () =>
    import('./project/general-page.tsx').then((m) => m.GeneralPage),
  ),
  pageRoute('/projects/:project_id/settings/keys', () =>
    import('./project/keys/keys-page.tsx').then((m) => m.KeysPage),
  ),
  pageRoute('/projects/:project_id/settings/scrubbing', () =>
    import('./project/scrubbing-page.tsx').then((m) => m.ScrubbingPage),
  ),
  pageRoute('/projects/:project_id/settings/filters', () =>
    import('./project/filters-page.tsx').then((m) => m.FiltersPage),
  ),
  pageRoute('/projects/:project_id/settings/retention', () =>
    import('./project/retention-page.tsx').then((m) => m.RetentionPage),
  ),
  pageRoute('/projects/:project_id/settings/attachments', () =>
    import('./project/attachments-page.tsx').then((m) => m.AttachmentsPage),
  ),
  pageRoute('/projects/:project_id/settings/ownership', () =>
    import('./project/ownership/ownership-page.tsx').then((m) => m.OwnershipPage),
  ),
]
