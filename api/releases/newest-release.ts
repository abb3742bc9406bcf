/** The newest release of a project, by the order of releases (schemas/releases/). */
import type { ProjectId } from '#schemas/ids.ts'
import { compareReleases } from '#schemas/releases/compare-releases.ts'
import type { Database } from '../database.ts'

/** Releases that are compared, those seen last. A project with more has long left the others. */
const comparedMax = 500

/** Undefined when the project has no release. */
export async function findNewestRelease(
  client: Database,
  projectId: ProjectId,
): Promise<string | undefined> {
  const { rows } = await client.query<{ version: string }>(
    `select version from (
       select version, least(first_event_at, first_session_at) as first_at from releases
       where project_id = $1
       order by greatest(last_event_at, last_session_at) desc, version limit ${comparedMax}
     ) as latest order by first_at, version`,
    [projectId],
  )
  // From the first seen to the last: one that does not compare is newer than what came before it.
  let newest: string | undefined
  for (const { version } of rows) {
    if (newest === undefined || compareReleases(newest, version) !== 1) newest = version
  }
  return newest
}
