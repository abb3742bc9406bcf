/** The newest release of a project, by the order of releases (schemas/releases/). */
import type { ProjectId } from '#schemas/ids.ts'
import { newestRelease } from '#schemas/releases/newest-release.ts'
import type { Database } from '../database.ts'

/** Releases that are compared, those seen last. A project with more has long left the others. */
const comparedMax = 500

/** Undefined when the project has no release with an event or a session. */
export async function findNewestRelease(
  client: Database,
  projectId: ProjectId,
): Promise<string | undefined> {
  return (await readNewestRelease(client, projectId))?.version
}

/** With the time of its first event or session. */
export async function readNewestRelease(
  client: Database,
  projectId: ProjectId,
): Promise<{ readonly version: string; readonly firstSeen: Date } | undefined> {
  const { rows } = await client.query<{ version: string; first_seen: Date }>(
    `select version, least(first_event_at, first_session_at) as first_seen from releases
     where project_id = $1 and (event_count > 0 or first_session_at is not null)
     order by last_heard_at desc, version limit ${comparedMax}`,
    [projectId],
  )
  const newest = newestRelease(
    rows.map(({ version, first_seen }) => ({ version, firstSeenMs: first_seen.getTime() })),
  )
  return newest && { version: newest.version, firstSeen: new Date(newest.firstSeenMs) }
}
