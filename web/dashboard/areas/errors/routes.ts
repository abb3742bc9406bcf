import { type AreaRoute, pageRoute } from '../route.ts'

export const errorRoutes: readonly AreaRoute[] = [
  pageRoute('/projects/:project_id/issues', () =>
    import('./issues/issues-page.tsx').then((module) => module.IssuesPage),
  ),
  pageRoute('/projects/:project_id/issues/:issue_id', () =>
    import('./issue/issue-page.tsx').then((module) => module.IssuePage),
  ),
  pageRoute('/projects/:project_id/setup', () =>
    import('./setup/setup-page.tsx').then((module) => module.SetupPage),
  ),
  pageRoute('/projects/:project_id/triage', () =>
    import('./triage/triage-page.tsx').then((module) => module.TriagePage),
  ),
]
