import { type AreaRoute, pageRoute } from '../route.ts'

const project = '/projects/:project_id'

export const reportRoutes: readonly AreaRoute[] = [
  pageRoute(`${project}/releases`, () =>
    import('./releases/releases-page.tsx').then((page) => page.ReleasesPage),
  ),
  pageRoute(`${project}/releases/:release`, () =>
    import('./releases/release-page.tsx').then((page) => page.ReleasePage),
  ),
  pageRoute(`${project}/monitors`, () =>
    import('./monitors/monitors-page.tsx').then((page) => page.MonitorsPage),
  ),
  pageRoute(`${project}/monitors/:slug`, () =>
    import('./monitors/monitor-page.tsx').then((page) => page.MonitorPage),
  ),
  pageRoute(`${project}/alerts`, () =>
    import('./alerts/alerts-page.tsx').then((page) => page.AlertsPage),
  ),
  // Before the page of a rule, whose pattern fits, too.
  pageRoute(`${project}/alerts/new`, () =>
    import('./alerts/new-alert-page.tsx').then((page) => page.NewAlertPage),
  ),
  pageRoute(`${project}/alerts/:id`, () =>
    import('./alerts/alert-page.tsx').then((page) => page.AlertPage),
  ),
  pageRoute(`${project}/outcomes`, () =>
    import('./outcomes/outcomes-page.tsx').then((page) => page.OutcomesPage),
  ),
  pageRoute(`${project}/quota`, () =>
    import('./quota/quota-page.tsx').then((page) => page.QuotaPage),
  ),
]
