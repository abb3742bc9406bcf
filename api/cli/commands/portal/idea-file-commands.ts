/** `idea import` and `idea export`. */
import { MiB } from '#schemas/limits.ts'
import { exportIdeas } from '../../../ideas/files/export-ideas.ts'
import { importIdeas } from '../../../ideas/files/import-ideas.ts'
import type { VerbPlan } from '../../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../../files/export-file.ts'
import { projectFlag } from '../../named-project.ts'
import { readImportFile } from '../import-file.ts'
import { projectAndActor } from '../project-actor.ts'

const fileBytesMax = 400 * MiB

export const ideaFileVerbs: readonly VerbPlan[] = [
  {
    verb: 'import',
    operation: 'importIdeas',
    summary: 'Import ideas from a .csv or .json file of this product, Canny, Fider or UserVoice',
    flags: {
      ...projectFlag,
      '--file <path>': 'the file to read!',
      '--dry-run': 'report what would be imported, and store nothing',
      '--create-tags': 'create the tags of the file that the portal does not have',
      '--status-map <pairs>': 'statuses for other names: In QA=Started,Shipped=Completed',
    },
    run: async (run) => {
      const { file: path = '', statusMap = '' } = run.flags
      const text = await readImportFile(path, fileBytesMax)
      const { projectId, actor } = await projectAndActor(run)
      const report = await importIdeas(run.session, actor, {
        projectId,
        text,
        format: formatOf(path),
        dryRun: run.flags.dryRun === true,
        createTags: run.flags.createTags === true,
        statusMap,
      })
      return { ...report }
    },
  },
  {
    verb: 'export',
    operation: 'exportIdeas',
    summary: 'Export all ideas to a .csv or .json file',
    flags: { ...projectFlag, '--file <path>': 'the file to write!', ...forceFlag },
    run: async (run) => {
      const { file: path = '', force } = run.flags
      await checkExportFile({ path, force })
      const { projectId, actor } = await projectAndActor(run)
      const wanted = { projectId, format: formatOf(path) }
      return writeExportFile({ path, force }, await exportIdeas(run.session, actor, wanted))
    },
  },
]

function formatOf(path: string): 'csv' | 'json' {
  return path.toLowerCase().endsWith('.json') ? 'json' : 'csv'
}
