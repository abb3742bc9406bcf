import type { SavedViewChange } from '#schemas/rest/saved-view.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import { found } from '../http/route.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import { checkView } from './check-view.ts'
import { othersOf, ownerOf, requirePlace } from './view-places.ts'
import {
  findView,
  listViews,
  lockViews,
  type StoredView,
  type Viewer,
  writePositions,
  writeView,
} from './view-store.ts'

/**
 * Changes a view, or moves it among the others. Throws `not_found`. The search of a view is checked
 * when it changes: one from before keeps it, and is refused when it is opened.
 */
export async function updateView(
  ctx: NamesContext,
  actor: Actor,
  input: { readonly viewer: Viewer; readonly id: string; readonly change: SavedViewChange },
): Promise<StoredView> {
  const { viewer, id, change } = input
  const { page, params } = found(await findView(ctx.pg, viewer, id))
  const changed = change.params ?? params
  if (changed !== params) await checkView(ctx, viewer, { page, params: changed })
  return ctx.pg.transaction(async (client) => {
    await lockViews(client, viewer.projectId)
    const views = await listViews(client, viewer)
    const before = found(views.find((view) => view.id === id))
    const { shared = before.person_id === null, position } = change
    const { name = before.name, params = before.params } = change
    const person_id = ownerOf(shared, viewer.personId)
    const updated_at = new Date(ctx.clock.nowMs())
    const after = { ...before, name, params, person_id, updated_at }
    const others = othersOf(views, after)
    const isMoved = person_id !== before.person_id
    if (isMoved) requirePlace(others)
    await writeView(client, viewer.projectId, after)
    if (position !== undefined || isMoved) {
      const at = position ?? others.length
      await writePositions(client, others.map((view) => view.id).toSpliced(at, 0, id))
    }
    if (shared || before.person_id === null) {
      await addAudit(client, actor, {
        action: 'view.updated',
        subjectType: 'view',
        subjectId: id,
        details: { name: after.name, changed: Object.keys(change) },
      })
    }
    return found(await findView(client, viewer, id))
  })
}
