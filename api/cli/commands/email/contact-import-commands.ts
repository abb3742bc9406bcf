/**
 * `contact-import`: imports that were uploaded over the API. `contact import` runs one of a local
 * file itself.
 */
import { commandLineActor } from '../../../audit/audit-store.ts'
import { cancelImport } from '../../../contacts/imports/cancel-import.ts'
import { findImport, listImports } from '../../../contacts/imports/contact-import-store.ts'
import { importView } from '../../../contacts/imports/import-view.ts'
import { startImport } from '../../../contacts/imports/start-import.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn, orUnknown } from '../project-actor.ts'

const importsShownMax = 100

export const contactImportVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listContactImports',
    summary: 'List contact imports, newest first, at most 100',
    run: async ({ session, organization }) => {
      const page = { beforeId: undefined, rowsMax: importsShownMax }
      const rows = await listImports(session.pg, { organizationId: await organization(), ...page })
      return rows.map((row) => {
        const { id, newsletter, state, dryRun, progress, rows, createdAt } = importView(row)
        return { id, newsletter, state, dryRun, progress, rows, createdAt }
      })
    },
  },
  {
    verb: 'show',
    operation: 'getContactImport',
    summary: 'Show the progress and the report of a contact import',
    operand: 'id',
    run: async (run) => {
      const named = { organizationId: await run.organization(), id: idIn(run) }
      const stored = await findImport(run.session.pg, named)
      if (stored === undefined) throw new UsageError(unknownImport(run))
      return { ...importView(stored), problems: stored.problems, warnings: stored.warnings }
    },
  },
  {
    verb: 'start',
    operation: 'startContactImport',
    summary: 'Start the import that a dry run checked; an API process begins it within 15 s',
    operand: 'id',
    run: async (run) => {
      const actor = commandLineActor(await run.organization())
      const started = startImport(run.session, actor, { importId: idIn(run) })
      return orUnknown(unknownImport(run), started)
    },
  },
  {
    verb: 'cancel',
    operation: 'cancelContactImport',
    summary: 'Cancel a contact import; rows that were imported stay',
    operand: 'id',
    run: async (run) => {
      const actor = commandLineActor(await run.organization())
      const cancelled = cancelImport(run.session, actor, { importId: idIn(run) })
      return orUnknown(unknownImport(run), cancelled)
    },
  },
]

function unknownImport({ flags }: Run): string {
  return `No contact import has the id ${flags.id}: see \`contact-import list\`.`
}
