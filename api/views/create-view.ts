import { v7 as uuidv7 } from 'uuid'
import type { NewSavedView } from '#schemas/rest/saved-view.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import { checkView } from './check-view.ts'
import { othersOf, ownerOf, requirePlace } from './view-places.ts'
import { listViews, lockViews, type StoredView, type Viewer, writeView } from './view-store.ts'

/** Adds a view behind the others. Throws `validation_failed` for a search that is refused. */
export async function createView(
  ctx: NamesContext,
  actor: Actor,
  { viewer, view }: { readonly viewer: Viewer; readonly view: NewSavedView },
): Promise<StoredView> {
  const { shared, ...fields } = view
  const person_id = ownerOf(shared, viewer.personId)
  await checkView(ctx, viewer, fields)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    await lockViews(client, viewer.projectId)
    const id = uuidv7()
    const others = othersOf(await listViews(client, viewer), { id, person_id })
    requirePlace(others)
    const position = (others.at(-1)?.position ?? -1) + 1
    const stored = { ...fields, id, person_id, position, created_at: now, updated_at: now }
    await writeView(client, viewer.projectId, stored)
    if (shared) {
      await addAudit(client, actor, {
        action: 'view.created',
        subjectType: 'view',
        subjectId: id,
        details: { name: view.name },
      })
    }
    return stored
  })
}
