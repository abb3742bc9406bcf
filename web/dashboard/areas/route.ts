import type { ComponentType } from 'preact'
import { lazy } from 'preact-iso'

export interface AreaRoute {
  /** A pattern of preact-iso: `/projects/:project_id/issues/:issue_id`. */
  readonly path: string
  readonly page: ComponentType
}

/** A page whose code is loaded when it is opened first. */
export function pageRoute(path: string, load: () => Promise<ComponentType>): AreaRoute {
  return { path, page: lazy(async () => ({ default: await load() })) as ComponentType }
}
