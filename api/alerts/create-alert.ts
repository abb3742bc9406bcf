import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { type AlertRuleInput, rulesPerProjectMax } from '#schemas/rest/alerts/alert.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { applyTargets } from '../targets/apply-targets.ts'
import { planTargets } from '../targets/plan-targets.ts'
import { addRule, countRules, findRule, type StoredRule } from './alert-store.ts'
import { checkConditions, checkNames, checkRecipients, withStoredRecipients } from './check-rule.ts'

export type AlertContext = Pick<
  ApiContext,
  'pg' | 'clickhouse' | 'box' | 'clock' | 'targetSettings'
>

/** A rule that was written, and the secrets of new webhooks by the id of the target. */
export interface WrittenRule {
  readonly rule: StoredRule
  readonly secrets: ReadonlyMap<string, string>
}

export async function createAlert(
  ctx: AlertContext,
  actor: Actor,
  { project, rule }: { readonly project: StoredProject; readonly rule: AlertRuleInput },
): Promise<WrittenRule> {
  const { organizationId } = actor
  checkConditions(rule, ctx.clock.nowMs())
  await checkNames(ctx, project, rule.if)
  const plan = planTargets(rule.then.map(withStoredRecipients), [], ctx.targetSettings)
  if (plan.kind === 'invalid') throw invalidFields(plan.errors)
  await checkRecipients(ctx.pg, organizationId, plan.targets)
  const name = { projectId: project.dsnId, id: uuidv7() }
  return ctx.pg.transaction(async (client) => {
    if ((await countRules(client, project.dsnId)) >= rulesPerProjectMax) {
      const message = `A project has at most ${rulesPerProjectMax} alert rules.`
      throw new CodedError('conflict', { message })
    }
    const { when, if: filter, quiet_hours, then, ...fields } = rule
    await addRule(client, { ...name, ...fields, conditions: { when, if: filter, quiet_hours } })
    const owner = { organizationId, ruleId: name.id }
    const secrets = await applyTargets({ pg: client, box: ctx.box }, owner, plan)
    await addAudit(client, actor, {
      action: 'alert.created',
      subjectType: 'alert',
      subjectId: name.id,
      details: { project_id: project.id, name: rule.name, targets: then.map(({ type }) => type) },
    })
    return { rule: found(await findRule(client, name)), secrets }
  })
}
