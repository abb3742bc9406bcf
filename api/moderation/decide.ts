/** What a moderator's decision does, as one transaction: the item, its author, who is told, and the line in the audit log. */
import { CodedError } from '#schemas/error-codes.ts'
import type { Decision } from '#schemas/rest/portal/moderation.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { Database, Postgres } from '../database.ts'
import { changePortalUser } from '../portal/endusers/enduser-store.ts'
import { planNotifications } from '../portal/notices/notification-store.ts'
import {
  type DecidedItem,
  decideComment,
  decideIdea,
  isInProject,
  listPendingOf,
  type QueueKind,
} from './moderation-store.ts'

export interface ItemToDecide {
  readonly projectId: string
  readonly kind: QueueKind
  readonly id: string
  readonly decision: Decision
  readonly actor: Actor
  readonly now: Date
}

/** Of one user who is blocked; a flood beyond it is rejected by blocking again. */
const rejectedWithBlockMax = 1_000

export function decide(
  postgres: Pick<Postgres, 'transaction'>,
  item: ItemToDecide,
): Promise<'published' | 'rejected'> {
  const { projectId, kind, id, decision, now } = item
  const approves = decision.decision === 'approve' || decision.decision === 'approve_and_trust'
  const to = approves ? 'published' : 'rejected'
  return postgres.transaction(async (pg) => {
    const decided = await decideOne(pg, item, to)
    if (decided === undefined) throw await notWaiting(pg, item)
    const { ideaId, authorId } = decided
    if (authorId !== null && decision.decision === 'approve_and_trust') {
      await changePortalUser(pg, {
        ...{ projectId, id: authorId, trusted: true, blocked: undefined, now },
      })
    }
    if (authorId !== null && decision.decision === 'block') await block(pg, item, authorId)
    if (kind === 'comment' && approves) {
      await planNotifications(pg, { kind: 'reply', ideaId, commentId: id, now })
    }
    if (kind === 'idea' && approves) await planNotifications(pg, { kind: 'approved', ideaId, now })
    if (kind === 'idea' && !approves && decision.tell_author) {
      await planNotifications(pg, { kind: 'rejected', ideaId, now })
    }
    return to
  })
}

async function decideOne(
  pg: Database,
  { projectId, kind, id, decision, actor, now }: ItemToDecide,
  to: 'published' | 'rejected',
): Promise<DecidedItem | undefined> {
  const { reason } = decision
  const decided =
    kind === 'idea'
      ? await decideIdea(pg, { projectId, id, to, actor: actor.name, reason, now })
      : await decideComment(pg, { projectId, id, to, now })
  if (decided === undefined) return undefined
  await addAudit(pg, actor, {
    action: `${kind}.${to === 'published' ? 'approved' : 'rejected'}`,
    subjectType: kind,
    subjectId: id,
    details: { project_id: projectId, decision: decision.decision, reason },
  })
  return decided
}

/** Whoever may not write here any more has nothing left to be read by a moderator. */
async function block(pg: Database, item: ItemToDecide, authorId: string): Promise<void> {
  const { projectId, actor, now } = item
  await changePortalUser(pg, { projectId, id: authorId, trusted: false, blocked: true, now })
  await addAudit(pg, actor, {
    action: 'enduser.blocked',
    subjectType: 'enduser',
    subjectId: authorId,
    details: { project_id: projectId },
  })
  const rowsMax = rejectedWithBlockMax
  for (const { kind, id } of await listPendingOf(pg, { projectId, authorId, rowsMax })) {
    await decideOne(pg, { ...item, kind, id }, 'rejected')
  }
}

async function notWaiting(pg: Database, item: ItemToDecide): Promise<CodedError> {
  if (!(await isInProject(pg, item))) return new CodedError('not_found')
  return new CodedError('conflict', { message: 'Somebody has decided this already.' })
}
