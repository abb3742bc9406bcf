/**
 * Creates a tag for the ideas of a portal. Its slug never changes: links and filters contain it.
 */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { type NewTag, tagsPerProjectMax } from '#schemas/rest/portal/tag-of-idea.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { addTag, type StoredTag } from '../tag-of-idea-store.ts'

export interface CreateTag {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly tag: NewTag
}

export function createTag(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, tag }: CreateTag,
): Promise<StoredTag> {
  return ctx.pg.transaction(async (pg) => {
    const added = await addTag(pg, { id: uuidv7(), projectId, ...tag })
    if (added === 'slug_taken') {
      throw new CodedError('conflict', { message: 'A tag with this slug already exists.' })
    }
    if (added === 'too_many') {
      const message = `A portal has at most ${tagsPerProjectMax} tags.`
      throw new CodedError('conflict', { message })
    }
    await addAudit(pg, actor, {
      action: 'tag.created',
      subjectType: 'tag',
      subjectId: added.id,
      details: { slug: added.slug },
    })
    return added
  })
}
