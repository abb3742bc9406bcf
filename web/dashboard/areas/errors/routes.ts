import type { AreaRoute } from '../route.ts'

export const errorRoutes: readonly AreaRoute[] = []
