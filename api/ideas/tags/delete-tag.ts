/** Deletes a tag and removes it from all ideas. */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { removeTag } from '../tag-of-idea-store.ts'

export interface DeleteTag {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly slug: string
}

export function deleteTag(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, slug }: DeleteTag,
): Promise<void> {
  return ctx.pg.transaction(async (pg) => {
    if (!(await removeTag(pg, { projectId, slug }))) throw new CodedError('not_found')
    await addAudit(pg, actor, { action: 'tag.deleted', subjectType: 'tag', details: { slug } })
  })
}
