/** The order of the views of one group: the shared views of a project, or those of a person. */
import { CodedError } from '#schemas/error-codes.ts'
import { savedViewsMax } from '#schemas/rest/saved-view.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredView } from './view-store.ts'

/** Views of the same group, without the view itself, in their order. */
export function othersOf(
  views: readonly StoredView[],
  { id, person_id }: Pick<StoredView, 'id' | 'person_id'>,
): StoredView[] {
  return views.filter((view) => view.person_id === person_id && view.id !== id)
}

/** Throws if one more view would be too many. */
export function requirePlace(others: readonly StoredView[]): void {
  if (others.length < savedViewsMax) return
  throw new CodedError('conflict', {
    message: `There are ${savedViewsMax} views already, the largest number: delete one first.`,
  })
}

/** Whose a view is. Programs have no views of their own. */
export function ownerOf(shared: boolean, personId: string | null): string | null {
  if (shared) return null
  if (personId !== null) return personId
  throw invalidField('shared', 'must be true with an access token, which belongs to no person')
}
