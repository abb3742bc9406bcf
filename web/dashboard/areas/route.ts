import type { ComponentType } from 'preact'
import { lazy } from 'preact-iso'

export interface AreaRoute {
  /** A pattern of preact-iso: `/projects/:project_id/issues/:issue_id`. */
  readonly path: string
  readonly page: ComponentType
  /** Begins to load the code of the page. */
  readonly preload: () => void
}

/** A page whose code is loaded when it is opened first. */
export function pageRoute(path: string, load: () => Promise<ComponentType>): AreaRoute {
  const page = lazy(async () => ({ default: await load() }))
  return {
    path,
    page: page as ComponentType,
    // If it fails, the page itself tries again and says so.
    preload: () => void page.preload().catch(() => undefined),
  }
}
