/** Helpers of the commands about one project: the named project, the actor, and unknown ids. */
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { commandLineActor } from '../../audit/audit-store.ts'
import { check } from '../check.ts'
import type { Run } from '../command.ts'
import { namedProject } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'

/** The project that `--project` names, or the only one, and the actor for the audit log. */
export async function projectAndActor(run: Run) {
  const { id: projectId, dsn_id, organizationId } = await namedProject(run)
  return { projectId, dsnId: Number(dsn_id), actor: commandLineActor(organizationId) }
}

/** The UUID after the verb. */
export function idIn({ flags }: Run): string {
  return check(z.guid(), 'The id', flags.id ?? '').toLowerCase()
}

/** Replaces the `not_found` of an action by a sentence that names the id. */
export async function orUnknown<T>(sentence: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const isUnknown = cause instanceof CodedError && cause.code === 'not_found'
    throw isUnknown ? new UsageError(sentence, { cause }) : cause
  }
}
