import { type AreaRoute, pageRoute } from '../route.ts'

export const designRoutes: readonly AreaRoute[] = [
  pageRoute('/design', () => import('./design-page.tsx').then((module) => module.DesignPage)),
]
