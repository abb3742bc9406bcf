import type { AreaRoute } from '../route.ts'

export const reportRoutes: readonly AreaRoute[] = []
