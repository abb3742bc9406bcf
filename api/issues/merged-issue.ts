/**
 * Requests for an issue that was merged. Reads redirect to the issue that has its events now.
 * Writes fail with its id, because resolving or deleting that issue may not be what was meant.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { ApiContext } from '../context.ts'
import { problemOf } from '../http/error-reply.ts'
import { findIssueEnd } from './merge-store.ts'

export function issueMerged(into: string): CodedError {
  return new CodedError('issue_merged', {
    message: `This issue was merged into ${into}.`,
    details: [{ field: 'issue_id', rule: `was merged into ${into}` }],
  })
}

/** Replies for an issue that was not found: 307 to the issue it was merged into, or 404. */
export async function sendAfterIssue(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
  issue: { projectId: ProjectId; id: string },
): Promise<never> {
  const into = await findIssueEnd(ctx.pg, issue)
  if (into === undefined || into === issue.id) throw new CodedError('not_found')
  const [path = '', ...query] = request.url.split('?')
  const there = path.replace(/(\/issues\/)[^/.]+/, `$1${into}`)
  reply.code(307).header('location', [there, ...query].join('?'))
  // The reply is sent; the cast satisfies the return type of the handler.
  return reply.send(problemOf(issueMerged(into))) as never
}

/** The error for an issue that could not be changed: merged, or not found. */
export async function missingIssue(
  ctx: Pick<ApiContext, 'pg'>,
  issue: { projectId: ProjectId; id: string },
): Promise<CodedError> {
  const into = await findIssueEnd(ctx.pg, issue)
  return into === undefined || into === issue.id ? new CodedError('not_found') : issueMerged(into)
}
