/** `grouping`: the grouping rules of a project, and what they do with an event. */
import { readFile } from 'node:fs/promises'
import { type GroupingSettings, groupingFields } from '#schemas/project-settings.ts'
import type { GroupingWarning } from '#schemas/rest/settings/updated-settings.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { readProjectSettings } from '../../../settings/project-settings-store.ts'
import { tryGrouping } from '../../../settings/try-grouping.ts'
import { updateProjectSettings } from '../../../settings/update-project-settings.ts'
import { workerAsker } from '../../../worker-requests/ask-workers.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import { sessionWith } from '../../session.ts'
import { UsageError } from '../../usage-error.ts'

const ruleFlags = {
  '--fingerprint-rules <path>': 'a file with fingerprint rules; an empty file takes them away',
  '--stack-trace-rules <path>': 'a file with stack-trace rules; an empty file takes them away',
}

export const groupingVerbs: readonly VerbPlan[] = [
  {
    verb: 'show',
    operation: 'getProjectSettings',
    summary: 'Show the grouping rules of a project',
    flags: projectFlag,
    run: async (run) => {
      const { dsnId } = await projectOf(run)
      return printed(run, (await readProjectSettings(run.session.pg, dsnId)).grouping)
    },
  },
  {
    verb: 'set',
    operation: 'updateProjectSettings',
    summary: 'Replace grouping rules of a project by those of a file, for new events',
    flags: { ...projectFlag, ...ruleFlags },
    run: async (run) => {
      const { organizationId, ...project } = await projectOf(run)
      const grouping = await readRules(run)
      if (Object.keys(grouping).length === 0) {
        throw new UsageError('Name a file with --fingerprint-rules or --stack-trace-rules.')
      }
      const actor = commandLineActor(organizationId)
      const input = { project, change: { grouping } }
      const { warnings, ...updated } = await updateProjectSettings(run.session, actor, input)
      return printed(run, updated.grouping, warnings)
    },
  },
  {
    verb: 'try',
    operation: 'tryGrouping',
    summary: 'Show how a stored event is grouped with rules of a file, without saving them',
    flags: { ...projectFlag, ...ruleFlags, '--event <id>': 'the id of a stored event!' },
    run: tryRules,
  },
]

async function tryRules(run: Run) {
  const project = await projectOf(run)
  const rules = await readRules(run)
  const nats = await run.session.connectNats()
  try {
    const askWorkers = workerAsker({
      request: async (subject, message, timeout) =>
        (await nats.request(subject, message, { timeout })).data,
    })
    const ctx = sessionWith(run.session, { askWorkers })
    const tried = await tryGrouping(ctx, project, { event_id: run.flags.event ?? '', ...rules })
    if (run.flags.json === true) return { ...tried }
    return (['before', 'after'] as const).map((name) => {
      const { hashes, issue, title, explanation } = tried[name]
      return {
        rules: name === 'before' ? 'stored' : 'tried',
        hash: hashes[0]?.hash ?? '',
        issue: issue?.short_id ?? 'new',
        title,
        why: explanation.summary,
      }
    })
  } finally {
    await nats.close()
  }
}

async function projectOf(run: Run) {
  const { id, dsn_id: dsnId, short_name: shortName, organizationId } = await namedProject(run)
  return { id, dsnId, shortName, organizationId }
}

async function readRules({ flags }: Run): Promise<Partial<GroupingSettings>> {
  const { fingerprintRules, stackTraceRules } = flags
  return {
    ...(fingerprintRules !== undefined && {
      fingerprint_rules: await readText('--fingerprint-rules', fingerprintRules),
    }),
    ...(stackTraceRules !== undefined && {
      stack_trace_rules: await readText('--stack-trace-rules', stackTraceRules),
    }),
  }
}

async function readText(flag: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${path} cannot be read.`, { cause })
  })
  if (text.includes('\0')) throw new UsageError(`${path} is no text.`)
  return check(groupingFields.fingerprint_rules, flag, text)
}

/** With --json both texts; else one row for each line that is a rule, with what is odd about it. */
function printed(
  { flags }: Run,
  texts: GroupingSettings,
  warnings: readonly GroupingWarning[] = [],
) {
  if (flags.json === true) return { ...texts, ...(warnings.length > 0 && { warnings }) }
  const rows = [
    ...rowsOf('fingerprint', texts.fingerprint_rules),
    ...rowsOf('stack trace', texts.stack_trace_rules),
  ]
  if (warnings.length === 0) return rows
  const of = (rules: string, line: number) =>
    warnings.filter((one) => rules === 'fingerprint' && one.line === line)
  return rows.map((row) => ({
    ...row,
    warning: of(row.rules, row.line)
      .map(({ message }) => message)
      .join('; '),
  }))
}

function rowsOf(rules: string, text: string) {
  return text.split('\n').flatMap((content, index) => {
    const rule = content.trim()
    return rule === '' || rule.startsWith('#') ? [] : [{ rules, line: index + 1, rule }]
  })
}
