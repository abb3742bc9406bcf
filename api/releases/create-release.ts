import type { NewRelease, ReleaseRecord } from '#schemas/rest/releases/release-changes.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { writeRelease } from './release-store.ts'
import { recordOf } from './release-view.ts'
import { requireVersion } from './require-version.ts'

export interface CreateRelease {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly release: NewRelease
}

/**
 * Names a release before its first event. Builds are repeated, so a release that is known already
 * gets the fields that are given.
 */
export async function createRelease(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { project, release }: CreateRelease,
): Promise<ReleaseRecord & { readonly isNew: boolean }> {
  const { version, ...change } = release
  requireVersion(version)
  const at = new Date(ctx.clock.nowMs())
  const row = await writeRelease(ctx.pg, { projectId: project.dsnId, version, at, change })
  return { ...recordOf(row), isNew: row.is_new }
}
