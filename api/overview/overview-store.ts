import type { ProjectId } from '#schemas/ids.ts'
import { overviewCountMax } from '#schemas/rest/overview.ts'
import type { ClickHouse, Database } from '../database.ts'
import { inTriage } from '../search/issue-columns.ts'

export interface StoredOverview {
  readonly name: string
  readonly project_key: string
  readonly unresolved_issues: number
  /** Issues of the triage queue, without those of failing monitors. */
  readonly triage_issues: number
  readonly failed_monitors: number
  readonly ideas_to_moderate: number
  readonly new_feedback: number
  readonly alerts_failing: number
  readonly first_event_at: Date | null
  readonly latest_event_at: Date | null
}

/** Reads at most so many rows of an index, so that no project makes it slow. */
const count = (rows: string) =>
  `(select count(*)::int from (${rows} limit ${overviewCountMax}) counted)`

const sql = `select p.name, p.project_key,
    ${count(`select from issues where project_id = $2 and status = 'unresolved' and merged_into is null`)}
      as unresolved_issues,
    ${count(`select from issues i where i.project_id = $2 and ${inTriage('$3')} and i.id <> all($4::uuid[])`)}
      as triage_issues,
    ${count(`select from monitors m where m.project_id = $2 and not m.muted and exists (
        select from monitor_environments e where e.monitor_id = m.id and e.incident_kind is not null)`)}
      as failed_monitors,
    ${count(`(select 1 from ideas where project_id = $1 and moderation = 'pending' limit ${overviewCountMax})
      union all (select 1 from comments where project_id = $1 and moderation = 'pending' and deleted_at is null)`)}
      as ideas_to_moderate,
    ${count(`select from feedback where project_id = $2 and status = 'New' and not archived`)}
      as new_feedback,
    ${count(`select from alert_rules r where r.project_id = $2 and r.enabled and exists (
        select from notification_targets t where t.rule_id = r.id and (t.disabled_at is not null or 0 < t.failures))`)}
      as alerts_failing,
    (select first_seen from issues where project_id = $2 order by first_seen, id limit 1)
      as first_event_at,
    (select last_seen from issues where project_id = $2 order by last_seen desc, id desc limit 1)
      as latest_event_at
  from projects p where p.id = $1`

export async function readOverview(
  pg: Database,
  project: {
    readonly id: string
    readonly dsnId: ProjectId
    readonly now: Date
    /** Issues that count with their monitors. */
    readonly withoutIssues: readonly string[]
  },
): Promise<StoredOverview | undefined> {
  const { rows } = await pg.query<StoredOverview>(
    sql,
    [project.id, project.dsnId, project.now, project.withoutIssues],
    'project_overview',
  )
  return rows[0]
}

/** Accepted events since a time, by the start of their hour in seconds. */
export async function sumEventsByHour(
  clickhouse: ClickHouse,
  since: { readonly projectId: ProjectId; readonly sinceMs: number },
): Promise<ReadonlyMap<number, number>> {
  const rows = await clickhouse.select<{ at: number; quantity: number }>(
    `select toUnixTimestamp(hour) as at, sum(quantity) as quantity from outcomes
     where project_id = {project:UInt64} and hour >= fromUnixTimestamp({since:Int64})
       and outcome = 'accepted' and category = 'error'
     group by at`,
    { project: since.projectId, since: Math.floor(since.sinceMs / 1000) },
  )
  return new Map(rows.map(({ at, quantity }) => [at, quantity]))
}
