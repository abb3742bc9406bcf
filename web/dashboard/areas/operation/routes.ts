import { type AreaRoute, pageRoute } from '../route.ts'

export const operationRoutes: readonly AreaRoute[] = [
  pageRoute('/operation', () => import('./overview-page.tsx').then((m) => m.OverviewPage)),
  pageRoute('/operation/dead-letters', () =>
    import('./dead-letters-page.tsx').then((m) => m.DeadLettersPage),
  ),
  pageRoute('/operation/jobs', () => import('./jobs-page.tsx').then((m) => m.JobsPage)),
]
