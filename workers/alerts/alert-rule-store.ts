import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { StoredConditions } from '#schemas/rest/alerts/alert.ts'

export interface StoredRule {
  readonly id: string
  readonly projectId: ProjectId
  readonly conditions: StoredConditions
}

/** The number that every change of rules changes, for those projects that ever had one. */
export async function readRuleVersions(
  pg: Pool,
  projectIds: readonly ProjectId[],
): Promise<Map<ProjectId, number>> {
  const { rows } = await pg.query<{ dsn_id: ProjectId; alert_rules_version: number }>(
    `select dsn_id, alert_rules_version from projects
     where dsn_id = any($1) and alert_rules_version is not null`,
    [projectIds],
  )
  return new Map(rows.map((row) => [row.dsn_id, row.alert_rules_version]))
}

/** The enabled rules of the projects, ordered by id. A rule that cannot be read is left out. */
export async function readStoredRules(
  pg: Pool,
  projectIds: readonly ProjectId[],
): Promise<readonly StoredRule[]> {
  const { rows } = await pg.query<{ id: string; project_id: ProjectId; conditions: unknown }>(
    `select id, project_id, conditions from alert_rules
     where project_id = any($1) and enabled order by id`,
    [projectIds],
  )
  return rows.flatMap(({ id, project_id, conditions }) => {
    const parsed = StoredConditions.safeParse(conditions)
    return parsed.success ? [{ id, projectId: project_id, conditions: parsed.data }] : []
  })
}
