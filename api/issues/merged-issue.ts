/**
 * What is asked of an issue that was merged: whoever reads is sent to the issue that has its events now, whoever writes is
 * told its id, since resolving or deleting that one may not be what was meant.
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

/** For an issue that was not found: 307 to where it went, or 404. */
export async function sendAfterIssue(
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: ApiContext,
  issue: { projectId: ProjectId; id: string },
): Promise<never> {
  const into = await findIssueEnd(ctx.pg, issue)
  if (into === undefined || into === issue.id) throw new CodedError('not_found')
  const [path = '', ...query] = request.url.split('?')
  const there = path.replace(/(\/issues\/)[^/]+/, `$1${into}`)
  reply.code(307).header('location', [there, ...query].join('?'))
  // Fastify knows what was sent; to the handler's type it is a reply like any other.
  return reply.send(problemOf(issueMerged(into))) as never
}

/** For an issue that could not be changed: the error that says why. */
export async function missingIssue(
  ctx: ApiContext,
  issue: { projectId: ProjectId; id: string },
): Promise<CodedError> {
  const into = await findIssueEnd(ctx.pg, issue)
  return into === undefined || into === issue.id ? new CodedError('not_found') : issueMerged(into)
}
