/** `feedback import` and `feedback export`. */
import { MiB } from '#schemas/limits.ts'
import type { FeedbackImportReport } from '#schemas/rest/portal/feedback.ts'
import { exportFeedback } from '../../../feedback/files/export-feedback.ts'
import { importFeedback } from '../../../feedback/files/import-feedback.ts'
import type { VerbPlan } from '../../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../../files/export-file.ts'
import { projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'
import { readImportFile } from '../import-file.ts'
import { projectAndActor } from '../project-actor.ts'

const fileBytesMax = 50 * MiB

export const feedbackFileVerbs: readonly VerbPlan[] = [
  {
    verb: 'import',
    operation: 'importFeedback',
    summary: 'Import feedback from a .csv or .json file; existing items stay unchanged',
    operand: 'file',
    flags: { ...projectFlag, '--dry-run': 'report what would be imported, and store nothing' },
    run: async (run) => {
      const path = String(run.flags.file)
      const format = formatOf(path)
      const text = await readImportFile(path, fileBytesMax)
      const { projectId: id, dsnId, actor } = await projectAndActor(run)
      const dryRun = run.flags.dryRun === true
      const file = { project: { id, dsnId }, text, format, dryRun }
      const { mistakes, notes, ...counts } = await importFeedback(run.session, actor, file)
      const shown = (rows: FeedbackImportReport['notes']) =>
        run.flags.json ? rows : rows.map(({ row, field, rule }) => `row ${row}, ${field}: ${rule}`)
      return { ...counts, mistakes: shown(mistakes), notes: shown(notes) }
    },
  },
  {
    verb: 'export',
    operation: 'exportFeedback',
    summary: 'Export all feedback of a project to a .csv or .json file',
    operand: 'file',
    flags: { ...projectFlag, ...forceFlag },
    run: async (run) => {
      const file = { path: String(run.flags.file), force: run.flags.force }
      const format = formatOf(file.path)
      await checkExportFile(file)
      const { projectId: id, dsnId, actor } = await projectAndActor(run)
      const wanted = { project: { id, dsnId }, format }
      return writeExportFile(file, await exportFeedback(run.session, actor, wanted))
    },
  },
]

function formatOf(path: string): 'csv' | 'json' {
  if (path.toLowerCase().endsWith('.csv')) return 'csv'
  if (path.toLowerCase().endsWith('.json')) return 'json'
  throw new UsageError(`The file ${path} must end in .csv or .json.`)
}
