import type { AlertRuleItem, AlertWarning } from '#schemas/rest/alerts/alert.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { listTargets } from '../targets/target-store.ts'
import { targetView } from '../targets/target-view.ts'
import type { StoredRule } from './alert-store.ts'
import { termsOf } from './check-rule.ts'
import { findWarnings } from './warnings/find-warnings.ts'

export interface RulesOfProject {
  readonly project: StoredProject
  readonly organizationId: string
}

const noSecrets: ReadonlyMap<string, string> = new Map()

/** Rules with their targets and warnings. `secrets` are those of webhooks that were just added. */
export async function alertViews(
  ctx: Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>,
  of: RulesOfProject,
  {
    rules,
    secrets = noSecrets,
  }: {
    readonly rules: readonly StoredRule[]
    readonly secrets?: ReadonlyMap<string, string>
  },
): Promise<AlertRuleItem[]> {
  const targets = await listTargets(ctx.pg, { ruleIds: rules.map(({ id }) => id) })
  const judged = rules.map((rule) => {
    const { conditions } = rule
    const own = targets.filter(({ rule_id }) => rule_id === rule.id)
    const then = own.map((target) => targetView(target, secrets.get(target.id)))
    return { rule, judged: { ...conditions, terms: termsOf(conditions.if), then } }
  })
  const warnings = await findWarnings(
    ctx,
    of,
    judged.map((one) => one.judged),
  )
  return judged.map(({ rule, judged: { then } }, index) =>
    viewOf(rule, then, warnings[index] ?? []),
  )
}

function viewOf(
  rule: StoredRule,
  then: AlertRuleItem['then'],
  warnings: AlertWarning[],
): AlertRuleItem {
  const { when, if: filter, quiet_hours } = rule.conditions
  return {
    id: rule.id,
    name: rule.name,
    enabled: rule.enabled,
    when,
    if: filter,
    then,
    cooldown_seconds: rule.cooldown_seconds,
    digest_seconds: rule.digest_seconds,
    quiet_hours,
    muted_until: rule.muted_until,
    is_default: rule.is_default,
    last_fired_at: rule.last_fired_at?.toISOString() ?? null,
    created_at: rule.created_at.toISOString(),
    updated_at: rule.updated_at.toISOString(),
    warnings,
  }
}
