import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import {
  addDeletedProjects,
  addDeletion,
  findProjectDeletion,
  noteCounts,
  type StoredDeletion,
} from './deletion-store.ts'
import { detachProjects, lockProjects } from './detach-projects-store.ts'
import { remainingPlaces } from './remaining-places.ts'
import { requireConfirmation } from './require-confirmation.ts'

export interface DeleteProject {
  readonly id: string
  /** The name of the project; undefined on the command line, which asks in its own way. */
  readonly confirm: string | undefined
}

/**
 * Disables the project at once and has a job remove everything of it. A repeated call returns the
 * state of the job.
 */
export async function deleteProject(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { id, confirm }: DeleteProject,
): Promise<StoredDeletion> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const [project] = await lockProjects(client, { organizationId, id })
    if (project === undefined) {
      const earlier = await findProjectDeletion(client, { organizationId, id })
      if (earlier === undefined) throw new CodedError('not_found')
      return earlier
    }
    requireConfirmation(confirm, project.name)
    const projects = [project]
    const deletion = await addDeletion(client, actor, {
      kind: 'project',
      projects,
      remaining: remainingPlaces,
    })
    await addDeletedProjects(client, deletion.id, projects)
    const counts = await detachProjects(client, deletion.id, projects)
    await addAudit(client, actor, {
      action: 'project.deleted',
      subjectType: 'project',
      subjectId: id,
      details: { name: project.name, deletion: deletion.id },
    })
    return noteCounts(client, deletion.id, counts)
  })
}
