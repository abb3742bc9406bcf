/** Rows of `alert_rules`. */
import type { ProjectId } from '#schemas/ids.ts'
import { rulesPerProjectMax, StoredConditions } from '#schemas/rest/alerts/alert.ts'
import type { Database } from '../database.ts'
import { hasJobs } from '../jobs/has-jobs.ts'
import type { StoredProject } from '../projects/project-store.ts'

export interface RuleFields {
  readonly name: string
  readonly enabled: boolean
  readonly conditions: StoredConditions
  readonly cooldown_seconds: number
  readonly digest_seconds: number
  /** ISO 8601. */
  readonly muted_until: string | null
}

export interface StoredRule extends RuleFields {
  readonly id: string
  readonly is_default: boolean
  readonly last_fired_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

type Row = Omit<StoredRule, 'muted_until'> & { readonly muted_until: Date | null }

const columns = `id, name, enabled, conditions, cooldown_seconds, digest_seconds, muted_until, is_default,
  last_fired_at, created_at, updated_at`

function ruleOf(row: Row): StoredRule {
  return {
    ...row,
    conditions: StoredConditions.parse(row.conditions),
    muted_until: row.muted_until?.toISOString() ?? null,
  }
}

/** In the order in which they were created. */
export async function listRules(pg: Database, projectId: ProjectId): Promise<StoredRule[]> {
  const { rows } = await pg.query<Row>(
    `select ${columns} from alert_rules where project_id = $1
     order by created_at, id limit ${rulesPerProjectMax}`,
    [projectId],
  )
  return rows.map(ruleOf)
}

export interface RuleName {
  readonly projectId: ProjectId
  readonly id: string
}

export async function findRule(
  pg: Database,
  { projectId, id }: RuleName,
): Promise<StoredRule | undefined> {
  const { rows } = await pg.query<Row>(
    `select ${columns} from alert_rules where project_id = $1 and id = $2`,
    [projectId, id],
  )
  return rows[0] && ruleOf(rows[0])
}

/** Call within a transaction: concurrent changes of the rule and its targets wait for it. */
export async function lockRule(
  client: Database,
  { projectId, id }: RuleName,
): Promise<StoredRule | undefined> {
  const { rows } = await client.query<Row>(
    `select ${columns} from alert_rules where project_id = $1 and id = $2 for no key update`,
    [projectId, id],
  )
  return rows[0] && ruleOf(rows[0])
}

/** Call within a transaction: the row of the project stays locked, so that the count is right. */
export async function countRules(client: Database, projectId: ProjectId): Promise<number> {
  await client.query('select from projects where dsn_id = $1 for no key update', [projectId])
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from alert_rules where project_id = $1',
    [projectId],
  )
  return rows[0]?.count ?? 0
}

export async function addRule(
  client: Database,
  rule: RuleFields & RuleName & { readonly isDefault?: boolean },
): Promise<void> {
  await client.query(
    `insert into alert_rules (id, project_id, name, enabled, conditions, cooldown_seconds, digest_seconds,
       muted_until, is_default)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [rule.id, rule.projectId, ...valuesOf(rule), rule.isDefault ?? false],
  )
}

export async function setRule(client: Database, rule: RuleFields & RuleName): Promise<void> {
  await client.query(
    `update alert_rules set name = $3, enabled = $4, conditions = $5, cooldown_seconds = $6,
       digest_seconds = $7, muted_until = $8, updated_at = now()
     where id = $1 and project_id = $2`,
    [rule.id, rule.projectId, ...valuesOf(rule)],
  )
}

/**
 * Lets the job of the rule decide again when what has fired is sent. It may wait for the end of a
 * mute or of quiet hours that the rule no longer has.
 */
export async function wakeRule(client: Database, id: string): Promise<void> {
  if (!(await hasJobs(client))) return
  await client.query(
    `select graphile_worker.add_job('notify_rule', json_build_object('rule_id', $1::text), job_key := 'notify:' || $1::text,
       run_at := now())
     where exists (select from alert_firings where rule_id = $1::uuid and notification_id is null)`,
    [id],
  )
}

function valuesOf(rule: RuleFields): unknown[] {
  return [
    rule.name,
    rule.enabled,
    JSON.stringify(rule.conditions),
    rule.cooldown_seconds,
    rule.digest_seconds,
    rule.muted_until,
  ]
}

/** The name of the rule; undefined when the project has no such rule. */
export async function deleteRule(
  client: Database,
  { projectId, id }: RuleName,
): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    'delete from alert_rules where project_id = $1 and id = $2 returning name',
    [projectId, id],
  )
  return rows[0]?.name
}

/** The project of a rule of the organization. */
export async function findRuleOfOrganization(
  pg: Database,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<StoredProject | undefined> {
  const { rows } = await pg.query<StoredProject>(
    `select p.id, p.dsn_id as "dsnId", p.short_name as "shortName"
     from alert_rules r join projects p on p.dsn_id = r.project_id
     where r.id = $2 and p.organization_id = $1`,
    [organizationId, id],
  )
  return rows[0]
}
