/** `deletion`: progress and receipts. */
import { findDeletion, listDeletions } from '../../../deletions/deletion-store.ts'
import { deletionView } from '../../../deletions/deletion-view.ts'
import type { VerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn } from '../project-actor.ts'

const shownMax = 100

export const deletionVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listDeletions',
    summary: 'List deletions of the installation, newest first, at most 100',
    run: async ({ session }) => {
      const list = { organizationId: undefined, beforeId: undefined, rowsMax: shownMax }
      const deletions = await listDeletions(session.pg, list)
      return deletions.map((row) => {
        const { id, kind, state, requested_at, finished_at, ...more } = deletionView(row)
        const rows = Object.values(more.rows).reduce((sum, count) => sum + count, 0)
        return { id, kind, state, requested_at, finished_at, rows }
      })
    },
  },
  {
    verb: 'show',
    operation: 'getDeletion',
    summary: 'Show the progress or the receipt of a deletion',
    operand: 'id',
    run: async (run) => {
      const id = idIn(run)
      const deletion = await findDeletion(run.session.pg, { organizationId: undefined, id })
      if (deletion === undefined) throw new UsageError(`There is no deletion ${id}.`)
      const { rows, remaining, ...shown } = deletionView(deletion)
      if (run.flags.json === true) return { ...shown, rows, remaining }
      // One line for each table, instead of numbers without their names.
      return { ...shown, ...rows }
    },
  },
]
