import type { AreaRoute } from '../route.ts'
import { contactRoutes } from './contact-routes.ts'

export const emailRoutes: readonly AreaRoute[] = [...contactRoutes]
