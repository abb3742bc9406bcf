/** `reconcile`: counts what a restored older Postgres does not know. */
import { withReconcile } from '../../../reconcile/open-reconcile-store.ts'
import { reconcile } from '../../../reconcile/reconcile.ts'
import type { ReconcileReport } from '../../../reconcile/reconcile-report.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import type { Row } from '../../print.ts'

export const reconcileCommand: VerbPlan = {
  verb: 'reconcile',
  summary: 'Count the events in ClickHouse that a restored older Postgres does not know',
  flags: {
    ...projectFlag,
    '--dry-run': 'print the report and change nothing',
    '--restored': 'Postgres was restored from a backup: settle all leases of quota in any case',
    '--full':
      'also compare all rows with the counts and add what is missing; stop the workers first',
  },
  run,
}

const actor = { personId: null, name: 'admin', via: 'command_line', ip: null } as const

async function run(run: Run): Promise<Row | readonly Row[] | undefined> {
  const { session, flags, say } = run
  const project = flags.project === undefined ? undefined : await namedProject(run)
  const input = {
    dryRun: flags.dryRun === true,
    projectId: project?.dsn_id,
    full: flags.full,
    restored: flags.restored,
  }
  const report = await withReconcile(
    session.engineUrls(),
    (sentence) => say(`${sentence}\n`),
    (ctx) => reconcile(ctx, actor, input),
  )
  if (flags.json === true) return { ...report }
  for (const sentence of conclusionsOf(report)) say(`${sentence}\n`)
  return report.projects.length === 0 ? undefined : report.projects.map(lineOf)
}

/** One line of the table. A value that changed is shown with the one before. */
function lineOf(project: ReconcileReport['projects'][number]): Row {
  const change = (before: number, after: number) =>
    before === after ? String(after) : `${before} -> ${after}`
  return {
    project: project.name,
    events: change(project.events_before, project.events_after),
    issues: change(project.issues_before, project.issues_after),
    releases: change(project.releases_before, project.releases_after),
    quota_used: change(project.quota_before, project.quota_after),
    issues_without_rows: project.issues_without_rows,
  }
}

function conclusionsOf(report: ReconcileReport): string[] {
  return [...countConclusions(report), ...layoutConclusions(report)]
}

function layoutConclusions({ lost_layouts: [lost] }: ReconcileReport): string[] {
  if (lost === undefined) return []
  const { first_partition: first, partitions, streams } = lost
  return [
    `The number of partitions was changed in the time that Postgres has lost: the broker holds frames of the partitions ${first} to ${first + partitions - 1}, which nobody reads. Run \`partitions set --count ${partitions} --streams ${streams}\`, and restart every ingest process.`,
  ]
}

function countConclusions(report: ReconcileReport): string[] {
  if (report.partitions.length === 0 && (report.events_missing ?? 0) === 0) {
    if (report.leases_settled > 0) return [`${report.leases_settled} leases of quota were settled.`]
    return ['Postgres knows everything that ClickHouse stores; nothing was changed.']
  }
  const lost = report.unknown_projects.map(
    ({ dsn_id, events }) =>
      `Postgres has no project ${dsn_id}: its ${events} events stay in ClickHouse and are not counted.`,
  )
  const end = report.dry_run ? ['This was a dry run: nothing was changed.'] : []
  return [...lost, ...report.unknown, ...end]
}
