/** Creates a feedback item that a person of the team enters. */
import { v7 as uuidv7 } from 'uuid'
import { pagePath } from '#schemas/page-path.ts'
import type { NewFeedback } from '#schemas/rest/portal/feedback.ts'
import { fireNewFeedback } from '../alerts/fire-rules-store.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { findFeedback, type StoredFeedback } from './feedback-store.ts'
import { addFeedback } from './feedback-writes.ts'

export interface CreateFeedback {
  /** DSN number of a project of the actor's organization. */
  readonly dsnId: number
  readonly feedback: NewFeedback
}

export function createFeedback(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { dsnId, feedback }: CreateFeedback,
): Promise<StoredFeedback> {
  const { path, version, person_name, person_email, ...fields } = feedback
  const id = uuidv7()
  const at = new Date(ctx.clock.nowMs())
  const row = {
    ...fields,
    id,
    source: 'Dashboard' as const,
    path: pagePath(path ?? '') ?? null,
    version: version || null,
    environment: null,
    component: null,
    person_name: person_name || null,
    person_email: person_email || null,
    enduser_id: null,
    archived: false,
    created_at: at,
  }
  return ctx.pg.transaction(async (pg) => {
    await addFeedback(pg, { dsnId, rows: [row], at })
    await fireNewFeedback(pg, { dsnId, feedback: row, now: at })
    const entry = { action: 'feedback.created', subjectType: 'feedback', subjectId: id } as const
    await addAudit(pg, actor, entry)
    return found(await findFeedback(pg, { dsnId, id }))
  })
}
