import { exec } from 'preact-iso/router'
import { designRoutes } from './design/routes.ts'
import { emailRoutes } from './email/routes.ts'
import { errorRoutes } from './errors/routes.ts'
import { ideaRoutes } from './ideas/routes.ts'
import { operationRoutes } from './operation/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import type { AreaRoute } from './route.ts'
import { settingsRoutes } from './settings/routes.ts'

/** Every page of the dashboard; each is loaded when it is opened first. */
export const areaRoutes: readonly AreaRoute[] = [
  ...errorRoutes,
  ...reportRoutes,
  ...emailRoutes,
  ...ideaRoutes,
  ...settingsRoutes,
  ...operationRoutes,
  ...designRoutes,
]

/** The code of a page is loaded while the server is asked who the person is. */
export function preloadPage(path: string): void {
  areaRoutes.find((route) => exec(path, route.path) !== undefined)?.preload()
}
