import type { AlertRuleChange } from '#schemas/rest/alerts/alert.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { applyTargets } from '../targets/apply-targets.ts'
import { planTargets } from '../targets/plan-targets.ts'
import { openTarget } from '../targets/sealed-target.ts'
import { listTargets } from '../targets/target-store.ts'
import { findRule, lockRule, type RuleName, setRule, wakeRule } from './alert-store.ts'
import { checkConditions, checkNames, checkRecipients, withStoredRecipients } from './check-rule.ts'
import type { AlertContext, WrittenRule } from './create-alert.ts'

export interface UpdateAlert {
  readonly project: StoredProject
  readonly id: string
  readonly change: AlertRuleChange
}

/** Changes the fields that are given. Targets that come back keep their secrets. */
export async function updateAlert(
  ctx: AlertContext,
  actor: Actor,
  { project, id, change }: UpdateAlert,
): Promise<WrittenRule> {
  const name = { projectId: project.dsnId, id }
  await checkNewQuery(ctx, project, { name, filter: change.if })
  return ctx.pg.transaction(async (client) => {
    const before = found(await lockRule(client, name))
    const { when, if: filter, quiet_hours, then, ...fields } = change
    const conditions = {
      when: when ?? before.conditions.when,
      if: filter ?? before.conditions.if,
      quiet_hours: quiet_hours === undefined ? before.conditions.quiet_hours : quiet_hours,
    }
    checkConditions(conditions, ctx.clock.nowMs())
    const secrets = await changeTargets(ctx, { client, actor, name, then })
    await setRule(client, {
      ...name,
      conditions,
      name: fields.name ?? before.name,
      enabled: fields.enabled ?? before.enabled,
      cooldown_seconds: fields.cooldown_seconds ?? before.cooldown_seconds,
      digest_seconds: fields.digest_seconds ?? before.digest_seconds,
      muted_until: fields.muted_until === undefined ? before.muted_until : fields.muted_until,
    })
    await wakeRule(client, id)
    await addAudit(client, actor, {
      action: 'alert.changed',
      subjectType: 'alert',
      subjectId: id,
      details: {
        project_id: project.id,
        ...fields,
        ...(when && { when }),
        ...(filter && { if: filter }),
        ...(quiet_hours !== undefined && { quiet_hours }),
        ...(then && { targets: then.map(({ type }) => type) }),
      },
    })
    return { rule: found(await findRule(client, name)), secrets }
  })
}

/** A rule keeps a query whose names are not known, so that its other fields can be changed. */
async function checkNewQuery(
  ctx: AlertContext,
  project: StoredProject,
  { name, filter }: { readonly name: RuleName; readonly filter: AlertRuleChange['if'] },
): Promise<void> {
  if (filter === undefined || filter.query === '') return
  const { conditions } = found(await findRule(ctx.pg, name))
  if (conditions.if.query === filter.query) return
  checkConditions({ if: filter, quiet_hours: null }, ctx.clock.nowMs())
  await checkNames(ctx, project, filter)
}

async function changeTargets(
  ctx: AlertContext,
  change: {
    readonly client: Database
    readonly actor: Actor
    readonly name: RuleName
    readonly then: AlertRuleChange['then']
  },
): Promise<ReadonlyMap<string, string>> {
  const { client, actor, name, then } = change
  if (then === undefined) return new Map()
  const { organizationId } = actor
  const stored = await listTargets(client, { ruleIds: [name.id] })
  const opened = stored.map((target) => ({
    id: target.id,
    type: target.type,
    content: openTarget(ctx.box, target),
  }))
  const plan = planTargets(then.map(withStoredRecipients), opened, ctx.targetSettings)
  if (plan.kind === 'invalid') throw invalidFields(plan.errors)
  await checkRecipients(client, organizationId, plan.targets)
  const owner = { organizationId, ruleId: name.id }
  return applyTargets({ pg: client, box: ctx.box }, owner, plan)
}
