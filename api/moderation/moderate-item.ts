/**
 * Applies the decision of a moderator to a pending idea or comment: publishes or rejects it,
 * trusts or blocks its author, plans the emails. Blocking also rejects everything else of the
 * author that is pending, and every rejected item has an audit entry of its own.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { Decision } from '#schemas/rest/portal/moderation.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { setPortalUserFlags } from '../portal/endusers/enduser-store.ts'
import { planNotifications } from '../portal/notifications/notification-store.ts'
import { feedIdeaComment, feedIdeaCreated } from '../webhooks/feed/feed-idea.ts'
import {
  type DecidedItem,
  decideComment,
  decideIdea,
  isInProject,
  listPendingOf,
  type QueueKind,
} from './moderation-store.ts'

export interface ModerateItem {
  /** A project of the actor's organization. */
  readonly projectId: string
  readonly kind: QueueKind
  readonly id: string
  readonly decision: Decision
}

interface Verdict extends ModerateItem {
  readonly actor: Actor
  readonly to: 'published' | 'rejected'
  readonly now: Date
}

/** Items that one block rejects. For a user with more, block the user again. */
const rejectedWithBlockMax = 1_000

export function moderateItem(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  item: ModerateItem,
): Promise<'published' | 'rejected'> {
  const { projectId, decision } = item
  const approves = decision.decision === 'approve' || decision.decision === 'approve_and_trust'
  const to = approves ? 'published' : 'rejected'
  const now = new Date(ctx.clock.nowMs())
  const verdict = { ...item, actor, to, now } as const
  return ctx.pg.transaction(async (pg) => {
    const decided = await decideOne(pg, verdict)
    if (decided === undefined) throw await notPending(pg, item)
    const { ideaId, authorId } = decided
    if (authorId !== null && decision.decision === 'approve_and_trust') {
      const trust = { projectId, id: authorId, trusted: true, blocked: undefined, now }
      await setPortalUserFlags(pg, trust)
    }
    if (authorId !== null && decision.decision === 'block') await block(pg, verdict, authorId)
    await notify(pg, verdict, ideaId)
    return to
  })
}

async function decideOne(pg: Database, verdict: Verdict): Promise<DecidedItem | undefined> {
  const { projectId, kind, id, decision, actor, to, now } = verdict
  const { reason } = decision
  const decided =
    kind === 'idea'
      ? await decideIdea(pg, { projectId, id, to, actor: actor.name, reason, now })
      : await decideComment(pg, { projectId, id, to, now })
  if (decided === undefined) return undefined
  if (kind === 'idea') await feedIdeaCreated(pg, { ideaId: id, now })
  else await feedIdeaComment(pg, { commentId: id, now })
  await addAudit(pg, actor, {
    action: `${kind}.${to === 'published' ? 'approved' : 'rejected'}`,
    subjectType: kind,
    subjectId: id,
    details: { project_id: projectId, decision: decision.decision, reason },
  })
  return decided
}

async function notify(
  pg: Database,
  { kind, id, to, decision, now }: Verdict,
  ideaId: string,
): Promise<void> {
  if (kind === 'comment') {
    if (to === 'published') {
      await planNotifications(pg, { kind: 'reply', ideaId, commentId: id, now })
    }
    return
  }
  if (to === 'published') await planNotifications(pg, { kind: 'approved', ideaId, now })
  else if (decision.tell_author) await planNotifications(pg, { kind: 'rejected', ideaId, now })
}

async function block(pg: Database, verdict: Verdict, authorId: string): Promise<void> {
  const { projectId, actor, now } = verdict
  await setPortalUserFlags(pg, { projectId, id: authorId, trusted: false, blocked: true, now })
  await addAudit(pg, actor, {
    action: 'enduser.blocked',
    subjectType: 'enduser',
    subjectId: authorId,
    details: { project_id: projectId },
  })
  const rowsMax = rejectedWithBlockMax
  for (const { kind, id } of await listPendingOf(pg, { projectId, authorId, rowsMax })) {
    await decideOne(pg, { ...verdict, kind, id })
  }
}

async function notPending(pg: Database, item: ModerateItem): Promise<CodedError> {
  if (!(await isInProject(pg, item))) return new CodedError('not_found')
  return new CodedError('conflict', { message: 'A moderator has already decided on this item.' })
}
