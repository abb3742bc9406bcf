import type { AreaRoute } from '../route.ts'

export const settingsRoutes: readonly AreaRoute[] = []
