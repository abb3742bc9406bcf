import type { AreaRoute } from '../route.ts'

export const ideaRoutes: readonly AreaRoute[] = []
