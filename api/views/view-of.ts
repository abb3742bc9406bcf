import type { SavedView } from '#schemas/rest/saved-view.ts'
import type { StoredView } from './view-store.ts'

export function viewOf({ person_id, created_at, updated_at, ...view }: StoredView): SavedView {
  return {
    ...view,
    shared: person_id === null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
