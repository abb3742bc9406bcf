/** What the parts of a preview share. */
import type { ProjectId } from '#schemas/ids.ts'
import type { AlertPreviewInput } from '#schemas/rest/alerts/alert.ts'
import type { ApiContext } from '../../context.ts'
import type { EventSearch } from '../../search/event-search.ts'
import type { Firing } from './count-firings.ts'

export type PreviewContext = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>

export interface PreviewScope {
  readonly projectId: ProjectId
  readonly sinceMs: number
  readonly rule: AlertPreviewInput
  /** `if` as conditions on events; undefined if all events match. */
  readonly search: EventSearch | undefined
}

/** What one kind of condition would have fired. */
export interface Found {
  readonly firings: readonly Firing[]
  /** Later than the beginning of the preview, if there were too many rows. */
  readonly sinceMs?: number
  readonly more: boolean
}
