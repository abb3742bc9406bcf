/** Changes the name, the colour or the position of a tag. */
import type { TagChange } from '#schemas/rest/portal/tag-of-idea.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { type StoredTag, storeTag } from '../tag-of-idea-store.ts'

export interface UpdateTag {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly slug: string
  readonly change: TagChange
}

export function updateTag(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, slug, change }: UpdateTag,
): Promise<StoredTag> {
  return ctx.pg.transaction(async (pg) => {
    const tag = found(await storeTag(pg, { projectId, slug, change }))
    await addAudit(pg, actor, {
      action: 'tag.changed',
      subjectType: 'tag',
      subjectId: tag.id,
      details: { slug, ...change },
    })
    return tag
  })
}
