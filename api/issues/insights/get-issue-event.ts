import { normalizeEventId, type ProjectId } from '#schemas/ids.ts'
import type { EventDetail } from '#schemas/rest/event.ts'
import type { IssueEventPlace } from '#schemas/rest/issue-insights.ts'
import type { ApiContext } from '../../context.ts'
import type { ClickHouse } from '../../database.ts'
import { getEvent } from '../../events/get-event.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { hashesGiven, joinHashes } from '../hash-list.ts'

/** The newest events among which the recommended one is chosen. */
const recommendedOfMax = 100

const order = {
  latest: 'received_at desc, event_id desc',
  oldest: 'received_at, event_id',
  // What helps most to understand it: who, where, and what the program noted; then the newest.
  recommended: `(user_id != '' or user_email != '' or user_name != '') + (release != '')
    + (environment != '') + notEmpty(tags) desc, received_at desc, event_id desc`,
} as const satisfies Record<IssueEventPlace, string>

/** Undefined if no event of the issue is stored any more. */
export async function getIssueEvent(
  ctx: ApiContext,
  project: StoredProject,
  issue: { readonly hashes: readonly string[]; readonly place: IssueEventPlace },
): Promise<EventDetail | undefined> {
  const stored = await findPlace(ctx.clickhouse, { projectId: project.dsnId, ...issue })
  const id = stored === undefined ? undefined : normalizeEventId(stored)
  return id === undefined ? undefined : getEvent(project, id, ctx)
}

async function findPlace(
  clickhouse: ClickHouse,
  issue: {
    readonly projectId: ProjectId
    readonly hashes: readonly string[]
    readonly place: IssueEventPlace
  },
): Promise<string | undefined> {
  const columns =
    'received_at, event_id, user_id, user_email, user_name, release, environment, tags'
  const all = `from events where project_id = {project:UInt64} and has(${hashesGiven}, fingerprint)`
  const source =
    issue.place === 'recommended'
      ? `from (select ${columns} ${all} order by ${order.latest} limit ${recommendedOfMax})`
      : all
  const rows = await clickhouse.select<{ event_id: string }>(
    `select event_id ${source} order by ${order[issue.place]} limit 1`,
    { project: issue.projectId, hashes: joinHashes(issue.hashes) },
  )
  return rows[0]?.event_id
}
