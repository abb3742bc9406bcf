import type { ReleaseCommits } from '#schemas/rest/release.ts'
import type { FullCommit, GivenCommit } from '#schemas/rest/releases/commit.ts'
import type { ApiContext } from '../../context.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { requireVersion } from '../require-version.ts'
import { writeCommits } from './commit-store.ts'

export interface SetReleaseCommits {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly version: string
  /** The newest first. */
  readonly commits: readonly GivenCommit[]
}

/**
 * Says which commits are new in a release, before or after its first event. Issues that are
 * resolved by one of them regress with this release and newer ones only. Commits with files are
 * suspects of issues that are first seen in the release.
 */
export async function setReleaseCommits(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { project, version, commits }: SetReleaseCommits,
): Promise<ReleaseCommits> {
  requireVersion(version)
  const ids = [...new Set(commits.map((one) => (typeof one === 'string' ? one : one.id)))]
  const details = new Map<string, FullCommit>()
  for (const one of commits) if (typeof one !== 'string') details.set(one.id, one)
  const at = new Date(ctx.clock.nowMs())
  await ctx.pg.transaction((pg) =>
    writeCommits(pg, {
      ...{ projectId: project.dsnId, version, commits: ids, at },
      details: [...details.values()],
    }),
  )
  return { version, commits: ids }
}
