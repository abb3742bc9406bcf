import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { callerOf, requireUuid } from '../http/route.ts'
import { findProject, findSharedOrganization, type StoredProject } from './project-store.ts'

/**
 * Returns the project if it is of the caller's organization, and throws `not_found` otherwise. For
 * a project of another organization to which the person belongs it throws `other_organization`, so
 * that the dashboard can offer to switch. An access token is of one organization, and learns
 * nothing.
 */
export async function requireProject(
  request: FastifyRequest,
  givenId: string,
  { pg }: Pick<ApiContext, 'pg'>,
): Promise<StoredProject> {
  const id = requireUuid(givenId)
  const { type, organizationId } = callerOf(request)
  const project = await findProject(pg, { id, organizationId })
  if (project !== undefined) return project
  if (type !== 'person') throw new CodedError('not_found')
  const { personId } = personOf(request)
  const there = await findSharedOrganization(pg, { projectId: id, personId })
  if (there === undefined) throw new CodedError('not_found')
  const message = `The project belongs to another organization of yours: ${there.name}. Switch to it first: PATCH /me.`
  const details = [{ field: 'organization_id', rule: there.id }]
  throw new CodedError('other_organization', { message, details })
}
