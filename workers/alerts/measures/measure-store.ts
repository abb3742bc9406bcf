import { hash } from 'node:crypto'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { StoredConditions } from '#schemas/rest/alerts/alert.ts'
import { storedText } from '#schemas/stored-text.ts'
import { type MeasureCondition, type Measured, type MeasuredRule, measureTypes } from './measure.ts'

/**
 * Further rules are not evaluated: each minute all of them are. Every organization has its share,
 * so that those with many rules do not silence the others.
 */
const measuredRulesMax = 20_000
const types: ReadonlySet<string> = new Set(measureTypes)

export async function readMeasuredRules(
  pg: Pool,
  rulesMax = measuredRulesMax,
): Promise<readonly MeasuredRule[]> {
  const { rows } = await pg.query<{
    id: string
    project_id: number
    organization_id: string
    conditions: unknown
  }>(
    `select r.id, project_id, organization_id, conditions
     from alert_rules r join projects on dsn_id = project_id
     where enabled and exists (
       select from jsonb_array_elements(conditions -> 'when') as condition where condition ->> 'type' = any($1))
     order by row_number() over (partition by organization_id order by r.id), r.id limit $2`,
    [measureTypes, rulesMax],
  )
  return rows.flatMap(({ id, project_id, organization_id, conditions }) => {
    const { when = [], if: filter } = StoredConditions.safeParse(conditions).data ?? {}
    return when
      .filter((condition): condition is MeasureCondition => types.has(condition.type))
      .map((condition) => ({
        ruleId: id,
        projectId: project_id,
        organizationId: organization_id,
        condition,
        environments: condition.type === 'crash_free_rate' ? filter?.environment : undefined,
      }))
  })
}

export type MeasureChange = MeasuredRule & Measured

/**
 * Notes which measures are beyond their limit, and lets the rules fire whose measure has just
 * passed it. Returns them.
 */
export async function saveMeasures(
  client: PoolClient,
  changes: readonly MeasureChange[],
  now: Date,
): Promise<readonly string[]> {
  // A rule may have the same condition twice.
  const given = new Map(
    changes.map(rowOf).map((row) => [`${row.rule_id} ${row.subject}`, row] as const),
  )
  const { rows } = await client.query<{ rule_id: string }>(
    `with given as (
       select given.* from jsonb_to_recordset($1) as given (rule_id uuid, project_id bigint, type text, subject text,
         is_over boolean, reason text, data jsonb)
       join (select id from alert_rules where enabled and id = any($3) order by id for key share) rule on id = rule_id
     ), passed as (
       insert into alert_subjects as known (rule_id, subject, fired_at, is_over)
       select rule_id, subject, $2, is_over from given
       where is_over or exists (
         select from alert_subjects s where s.rule_id = given.rule_id and s.subject = given.subject)
       order by rule_id, subject
       on conflict (rule_id, subject) do update set is_over = excluded.is_over,
         fired_at = case when excluded.is_over then excluded.fired_at else known.fired_at end
         where known.is_over <> excluded.is_over
       returning rule_id, subject, is_over
     )
     insert into alert_firings (rule_id, project_id, type, reason, data, cause, at)
     select rule_id, project_id, type, reason, data, subject || ':' || extract(epoch from $2::timestamptz), $2
     from given join passed using (rule_id, subject) where passed.is_over
     on conflict (rule_id, cause) do nothing returning rule_id`,
    [JSON.stringify([...given.values()]), now, [...new Set(changes.map(({ ruleId }) => ruleId))]],
  )
  return [...new Set(rows.map(({ rule_id }) => rule_id))]
}

function rowOf(change: MeasureChange) {
  const { ruleId, projectId, condition, environments, isOver, reason, numbers } = change
  return {
    rule_id: ruleId,
    project_id: projectId,
    type: condition.type,
    // A changed condition is another one, and fires again.
    subject: storedText(`measure:${JSON.stringify(condition)}${scopeOf(environments)}`),
    is_over: isOver,
    reason: storedText(reason),
    data: { numbers },
  }
}

/** A digest, because a key of Postgres is short. */
function scopeOf(environments: readonly string[] | undefined): string {
  return environments === undefined ? '' : `:${hash('sha256', JSON.stringify(environments))}`
}
