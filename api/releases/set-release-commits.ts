import type { ReleaseCommits } from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { writeCommits } from './release-store.ts'

const versionCharactersMax = 250
const versionPattern = /^[^\p{Cc}]+$/u

export interface SetReleaseCommits {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly version: string
  readonly commits: readonly string[]
}

/**
 * Says which commits are new in a release, before or after its first event. Issues that are
 * resolved by one of them regress with this release and newer ones only.
 */
export async function setReleaseCommits(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { project, version, commits }: SetReleaseCommits,
): Promise<ReleaseCommits> {
  if (versionCharactersMax < version.length || !versionPattern.test(version)) {
    const rule = `must have 1 to ${versionCharactersMax} characters and no control characters`
    throw invalidField('release', rule)
  }
  const unique = [...new Set(commits)]
  const at = new Date(ctx.clock.nowMs())
  await writeCommits(ctx.pg, { projectId: project.dsnId, version, commits: unique, at })
  return { version, commits: unique }
}
