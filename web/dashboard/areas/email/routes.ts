import type { AreaRoute } from '../route.ts'

export const emailRoutes: readonly AreaRoute[] = []
