import type { AreaRoute } from '../route.ts'

export const operationRoutes: readonly AreaRoute[] = []
