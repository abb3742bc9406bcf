import { CodedError } from '#schemas/error-codes.ts'
import type { ReleaseDetail, ReleaseQuery } from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { findRelease } from './release-store.ts'
import { describeRelease } from './report-releases.ts'

/** One release with the series of its health. Throws `not_found`. */
export async function getRelease(
  project: StoredProject,
  { version, query }: { version: string; query: ReleaseQuery },
  ctx: ApiContext,
): Promise<ReleaseDetail> {
  // Postgres stores no NUL in a text, so no release has one.
  if (version.includes('\0')) throw new CodedError('not_found')
  const release = await findRelease(ctx.pg, { projectId: project.dsnId, version })
  return describeRelease(project, found(release), query, ctx)
}
