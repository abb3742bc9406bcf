/**
 * Updates texts, status, tags or the official response of an idea. A new status and a new response
 * are one notification. Saving the current values changes nothing and notifies nobody.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { AdminIdea, IdeaChange } from '#schemas/rest/portal/idea-admin.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import { planNotifications } from '../portal/notifications/notification-store.ts'
import { type DuplicateMove, undoDuplicate } from './duplicates.ts'
import { findIdeaForTeam, type LockedForChange, lockIdea, storeIdea } from './idea-admin-store.ts'
import { addIdeaEvent, type IdeaName, readStatus } from './idea-store.ts'
import { requireKnownTags, setTagsOfIdea } from './tag-of-idea-store.ts'

export interface UpdateIdea extends IdeaName {
  readonly change: IdeaChange
  /** Name under which visitors read the response; never an address. Null: the team. */
  readonly signature: string | null
}

export function updateIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, ideaId, change, signature }: UpdateIdea,
): Promise<AdminIdea> {
  const idea = { projectId, ideaId }
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (pg) => {
    const move = { ...idea, actor: actor.name, now }
    const fields = await applyChange(pg, { move, change, signature })
    await addAudit(pg, actor, {
      action: 'idea.changed',
      subjectType: 'idea',
      subjectId: ideaId,
      details: { fields },
    })
    return found(await findIdeaForTeam(pg, idea))
  })
}

interface ChangeOfIdea {
  readonly move: DuplicateMove
  readonly change: IdeaChange
  readonly signature: string | null
}

/** Returns the names of the fields whose values are new. */
async function applyChange(
  pg: Database,
  { move, change, signature }: ChangeOfIdea,
): Promise<string[]> {
  const { ideaId, actor, now } = move
  const changed: string[] = []
  // A merge is undone before the idea itself is locked, because undoing it locks several ideas.
  if (change.status !== undefined && (await readStatus(pg, move)) === 'Duplicate') {
    await undoDuplicate(pg, { ...move, status: change.status })
    changed.push('status')
  }
  const before = found(await lockIdea(pg, move))
  if (change.status !== undefined && before.status === 'Duplicate') {
    throw new CodedError('conflict', {
      message: 'The idea was merged at the same time. Read it again and repeat the change.',
    })
  }

  const fields = newFields(before, change, signature)
  if (Object.keys(fields).length > 0) await storeIdea(pg, ideaId, { ...fields, now })
  const { tags } = change
  if (tags !== undefined) {
    requireKnownTags(await setTagsOfIdea(pg, { ...move, slugs: tags }))
    await addIdeaEvent(pg, { ideaId, kind: 'tagged', actor, now, details: { tags } })
  }
  if (fields.title !== undefined || fields.description !== undefined) {
    const details = { before: { title: before.title, description: before.description } }
    await addIdeaEvent(pg, { ideaId, kind: 'edited', actor, now, details })
  }
  if (fields.status !== undefined) {
    const statuses = { fromStatus: before.status, toStatus: fields.status }
    await addIdeaEvent(pg, { ideaId, kind: 'status', ...statuses, actor, now })
  }
  if (fields.response !== undefined) {
    await addIdeaEvent(pg, { ideaId, kind: 'response', actor, now })
  }
  if (fields.status !== undefined || (fields.response ?? null) !== null) {
    await planNotifications(pg, { kind: 'status', ideaId, now })
  }
  return [...changed, ...Object.keys(fields), ...(tags === undefined ? [] : ['tags'])]
}

function newFields(
  before: LockedForChange,
  { title, description, status, response }: IdeaChange,
  signature: string | null,
) {
  const isNew = <T>(value: T | undefined, old: T): value is T =>
    value !== undefined && value !== old
  return {
    ...(isNew(title, before.title) && { title }),
    ...(isNew(description, before.description) && { description }),
    ...(isNew(status, before.status) && { status }),
    ...(isNew(response, before.response) && {
      response: response === null ? null : { body: response, by: signature },
    }),
  }
}
