/**
 * Creates a draft with a unique archive slug. A requested slug that is taken is refused; a slug
 * made from the subject gets a number.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { EmailSource } from '../compose/compose-email.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { freeSlug, slugOfSubject } from './archive-slug.ts'
import {
  addCampaign,
  type CampaignNewsletter,
  type NewCampaignRow,
  slugsLike,
} from './campaign-store.ts'

export interface DraftSource {
  readonly subject: string
  readonly previewText?: string | null | undefined
  readonly html?: string | null | undefined
  readonly markdown?: string | null | undefined
  readonly archiveSlug?: string | null | undefined
}

/** Another request may take the number between the query and the insert. */
const attemptsMax = 20

/**
 * Refuses an email that cannot be composed now and not when it is sent. Call it before the
 * transaction: it may take seconds.
 */
export async function checkComposable(
  ctx: Pick<ApiContext, 'composer'>,
  organizationId: string,
  source: EmailSource,
): Promise<void> {
  await ctx.composer.email(organizationId, source, { kind: 'send' })
}

export async function createDraft(
  pg: Database,
  draft: {
    newsletter: CampaignNewsletter
    source: DraftSource
    createdBy: string | null
    now: Date
  },
): Promise<{ id: string; archiveSlug: string }> {
  const { newsletter, source, createdBy, now } = draft
  const row = {
    newsletter,
    subject: source.subject,
    previewText: source.previewText ?? null,
    html: source.html ?? null,
    markdown: source.markdown ?? null,
    createdBy,
    now,
  }
  const { archiveSlug } = source
  if (typeof archiveSlug === 'string') {
    const added = await addCampaign(pg, { ...row, archiveSlug })
    if (added === undefined) throw slugTaken()
    return { ...added, archiveSlug }
  }
  return await addWithFreeSlug(pg, row)
}

export function slugTaken(): CodedError {
  return new CodedError('archive_slug_taken', {
    details: [{ field: 'archiveSlug', rule: 'must not be the one of another campaign' }],
  })
}

async function addWithFreeSlug(
  pg: Database,
  row: Omit<NewCampaignRow, 'archiveSlug'>,
): Promise<{ id: string; archiveSlug: string }> {
  const base = slugOfSubject(row.subject)
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const taken = await slugsLike(pg, { newsletterId: row.newsletter.id, base })
    const archiveSlug = freeSlug(base, new Set(taken))
    const added = await addCampaign(pg, { ...row, archiveSlug })
    if (added !== undefined) return { ...added, archiveSlug }
  }
  throw slugTaken()
}
