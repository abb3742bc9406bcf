import { CodedError } from '#schemas/error-codes.ts'
import type { SavedView } from '#schemas/rest/saved-view.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { checkSearch } from '../search/check-search.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import type { Viewer } from './view-store.ts'

/** Refuses a view whose page would refuse its search: it could never be opened. */
export async function checkView(
  ctx: NamesContext,
  { projectId }: Viewer,
  { page, params }: Pick<SavedView, 'page' | 'params'>,
): Promise<void> {
  if (page !== 'issues' && page !== 'events') return
  const text = new URLSearchParams(params).get('query') ?? ''
  try {
    await checkSearch(ctx, { text, of: page, projectId })
  } catch (error) {
    const [detail] = error instanceof CodedError ? (error.details ?? []) : []
    if (detail === undefined) throw error
    const { position = 0, rule } = detail
    throw invalidField('params', `its query, at character ${position + 1}: ${rule}`)
  }
}
