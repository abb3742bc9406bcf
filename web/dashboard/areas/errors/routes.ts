import { type AreaRoute, pageRoute } from '../route.ts'

export const errorRoutes: readonly AreaRoute[] = [
  pageRoute('/projects/:project_id/issues/:issue_id', () =>
    import('./issue/issue-page.tsx').then((m) => m.IssuePage),
  ),
]
