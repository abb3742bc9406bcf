import { CodedError } from '#schemas/error-codes.ts'
import type { ReleaseChange, ReleaseRecord } from '#schemas/rest/releases/release-changes.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { changeRelease } from './release-store.ts'
import { recordOf } from './release-view.ts'

export interface UpdateRelease {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly version: string
  readonly change: ReleaseChange
}

/** Throws `not_found` when the project has no such release. */
export async function updateRelease(
  ctx: Pick<ApiContext, 'pg'>,
  { project, version, change }: UpdateRelease,
): Promise<ReleaseRecord> {
  if (version.includes('\0')) throw new CodedError('not_found')
  return recordOf(found(await changeRelease(ctx.pg, { projectId: project.dsnId, version, change })))
}
