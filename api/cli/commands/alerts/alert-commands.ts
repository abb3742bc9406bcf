/** `alert`: the alert rules of a project. A rule is JSON as the API takes it. */
import { z } from 'zod'
import {
  AlertPreviewInput,
  AlertRuleChange,
  AlertRuleInput,
  type AlertRuleItem,
} from '#schemas/rest/alerts/alert.ts'
import { Instant } from '#schemas/rest/page.ts'
import { findRule, findRuleOfOrganization, listRules } from '../../../alerts/alert-store.ts'
import { alertViews } from '../../../alerts/alert-view.ts'
import { createAlert, type WrittenRule } from '../../../alerts/create-alert.ts'
import { deleteAlert } from '../../../alerts/delete-alert.ts'
import { previewAlert } from '../../../alerts/preview/preview-alert.ts'
import { rotateAlertSecret } from '../../../alerts/rotate-alert-secret.ts'
import { updateAlert } from '../../../alerts/update-alert.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import type { StoredProject } from '../../../projects/project-store.ts'
import { check } from '../../check.ts'
import { clickhouseOrUnavailable } from '../../clickhouse-or-unavailable.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { checkFields, readJsonFile } from '../../files/json-file.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import { sessionWith } from '../../session.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn } from '../project-actor.ts'
import { deliveryVerbs } from './delivery-verbs.ts'

const operand = 'id'
const fileFlag = { '--file <path>': 'the rule as JSON, or - for standard input!' } as const

export const alertVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listAlerts',
    summary: 'List the alert rules of a project',
    flags: projectFlag,
    run: async (run) => {
      const { organizationId, ...found } = await namedProject(run)
      const project = projectOf(found)
      const rules = await listRules(run.session.pg, project.dsnId)
      const items = await viewsOf(run, { project, organizationId }, { rules })
      return items.map((item) => ({
        id: item.id,
        name: item.name,
        enabled: item.enabled,
        when: item.when.map(({ type }) => type),
        // `then` of a row would look like a promise to `await`.
        targets: item.then.map(({ type }) => type),
        last_fired_at: item.last_fired_at,
        warnings: item.warnings.map(({ field, rule }) => `${field}: ${rule}`),
      }))
    },
  },
  {
    verb: 'show',
    operation: 'getAlert',
    summary: 'Show an alert rule with its targets and warnings',
    operand,
    run: async (run) => {
      const { rule, ...of } = await namedRule(run)
      return only(await viewsOf(run, of, { rules: [rule] }))
    },
  },
  {
    verb: 'create',
    operation: 'createAlert',
    summary: 'Create an alert rule from JSON; secrets of webhooks are printed only once',
    flags: { ...projectFlag, ...fileFlag },
    run: async (run) => {
      const rule = checkFields(AlertRuleInput, await readJsonFile(run.flags.file ?? ''))
      const { organizationId, ...found } = await namedProject(run)
      const project = projectOf(found)
      const written = await createAlert(await contextOf(run), commandLineActor(organizationId), {
        project,
        rule,
      })
      return writtenView(run, { project, organizationId }, written)
    },
  },
  {
    verb: 'update',
    operation: 'updateAlert',
    summary: 'Change an alert rule by JSON, whole or in part, as `show --json` prints it',
    operand,
    flags: fileFlag,
    run: async (run) => {
      const change = checkFields(
        AlertRuleChange,
        changeIn(await readJsonFile(run.flags.file ?? '')),
      )
      return applyChange(run, change)
    },
  },
  {
    verb: 'enable',
    operation: 'updateAlert',
    summary: 'Enable an alert rule',
    operand,
    run: (run) => applyChange(run, { enabled: true }),
  },
  {
    verb: 'disable',
    operation: 'updateAlert',
    summary: 'Disable an alert rule: it does not fire',
    operand,
    run: (run) => applyChange(run, { enabled: false }),
  },
  {
    verb: 'mute',
    operation: 'updateAlert',
    summary: 'Mute an alert rule: it fires, and nothing is sent until then',
    operand,
    flags: { '--until <time>': 'such as 2026-11-21T08:00:00Z, or none!' },
    run: (run) => {
      const { until } = run.flags
      const muted_until = until === 'none' ? null : check(Instant, '--until', until)
      return applyChange(run, { muted_until })
    },
  },
  {
    verb: 'delete',
    operation: 'deleteAlert',
    summary: 'Delete an alert rule with its firings and deliveries',
    operand,
    run: async (run) => {
      const { rule, project, organizationId } = await namedRule(run)
      const { id } = rule
      await deleteAlert(run.session, commandLineActor(organizationId), { project, id })
      return { id, deleted: true }
    },
  },
  {
    verb: 'preview',
    operation: 'previewAlert',
    summary: 'Show what a rule would have fired in the last 7 days: a stored one, or JSON',
    operand,
    isOperandOptional: true,
    flags: { ...projectFlag, '--file <path>': 'the rule as JSON, or - for standard input' },
    run: async (run) => {
      const { project, organizationId, rule } = await previewedRule(run)
      const preview = await previewAlert(run.session, { project, organizationId, rule })
      if (run.flags.json === true) return preview
      for (const { field, rule: broken } of preview.warnings) run.say(`${field}: ${broken}\n`)
      const count = preview.would_have_fired.length
      run.say(
        `${count} firings since ${preview.since}${preview.more ? ', and more' : ''}; ${preview.notification_count} notifications.\n`,
      )
      return preview.would_have_fired
    },
  },
  ...deliveryVerbs({
    what: 'an alert rule',
    operations: { test: 'testAlert', list: 'listAlertDeliveries', replay: 'replayAlertDelivery' },
    ownerOf,
  }),
  {
    verb: 'rotate-secret',
    operation: 'rotateAlertSecret',
    summary: 'Rotate the secret of a webhook of a rule; the old one signs along for 24 hours',
    operand,
    flags: { '--target <id>': 'id of the webhook, when the rule has several' },
    run: async (run) => {
      const { target } = run.flags
      const targetId = target === undefined ? undefined : check(z.guid(), '--target', target)
      const { rule, project, organizationId } = await namedRule(run)
      const ctx = sessionWith(run.session, { box: await run.session.box() })
      const input = { project, id: rule.id, targetId }
      return rotateAlertSecret(ctx, commandLineActor(organizationId), input)
    },
  },
]

interface OfProject {
  readonly project: StoredProject
  readonly organizationId: string
}

function projectOf(found: {
  readonly id: string
  readonly dsn_id: StoredProject['dsnId']
  readonly short_name: string
}): StoredProject {
  return { id: found.id, dsnId: found.dsn_id, shortName: found.short_name }
}

async function contextOf({ session }: Run) {
  return sessionWith(session, {
    box: await session.box(),
    clickhouse: clickhouseOrUnavailable(session),
  })
}

async function namedRule(run: Run) {
  const id = idIn(run)
  const organizationId = await run.organization()
  const { pg } = run.session
  const project = await findRuleOfOrganization(pg, { organizationId, id })
  const rule = project && (await findRule(pg, { projectId: project.dsnId, id }))
  if (project === undefined || rule === undefined) {
    throw new UsageError(`No alert rule has the id ${id}: see \`alert list\`.`)
  }
  return { rule, project, organizationId }
}

async function ownerOf(run: Run) {
  const { rule, project, organizationId } = await namedRule(run)
  return {
    owner: { kind: 'rule', projectNumber: project.dsnId, id: rule.id } as const,
    organizationId,
  }
}

async function applyChange(run: Run, change: AlertRuleChange) {
  const { rule, project, organizationId } = await namedRule(run)
  const input = { project, id: rule.id, change }
  const written = await updateAlert(await contextOf(run), commandLineActor(organizationId), input)
  return writtenView(run, { project, organizationId }, written)
}

async function writtenView(run: Run, of: OfProject, { rule, secrets }: WrittenRule) {
  return only(await viewsOf(run, of, { rules: [rule], secrets }))
}

function only(items: readonly AlertRuleItem[]): AlertRuleItem {
  const [item] = items
  if (item === undefined) throw new UsageError('The alert rule was deleted meanwhile.')
  return item
}

function viewsOf({ session }: Run, of: OfProject, rules: Parameters<typeof alertViews>[2]) {
  const { pg, clock } = session
  return alertViews({ pg, clock, clickhouse: clickhouseOrUnavailable(session) }, of, rules)
}

/** Fields that `show` prints and that no change may have. */
const shownOnly = ['id', 'is_default', 'last_fired_at', 'created_at', 'updated_at', 'warnings']

function changeIn(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !shownOnly.includes(name)))
}

async function previewedRule(run: Run) {
  if (run.flags.file !== undefined) {
    const rule = checkFields(AlertPreviewInput, changeIn(await readJsonFile(run.flags.file)))
    const { organizationId, ...found } = await namedProject(run)
    return { project: projectOf(found), organizationId, rule }
  }
  if (run.flags.id === undefined) {
    throw new UsageError('Name what to preview: the id of a rule, or --file.')
  }
  const { rule: stored, ...of } = await namedRule(run)
  const [item] = await viewsOf(run, of, { rules: [stored] })
  return { ...of, rule: checkFields(AlertPreviewInput, changeIn({ ...item })) }
}
