/** `secret`: the secret of the installation, SLUICE_SECRET. */
import { resealAll } from '../../secrets/rotate-secret.ts'
import type { Run, VerbPlan } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const secretVerbs: readonly VerbPlan[] = [
  {
    verb: 'rotate',
    summary: 'Re-seal stored secrets under SLUICE_SECRET; SLUICE_SECRET_PREVIOUS opens them',
    run: rotate,
  },
]

async function rotate({ session, flags }: Run) {
  const columns = await resealAll(session.pg, await session.box())
  const unreadable = columns.filter((column) => 0 < column.unreadable)
  if (0 < unreadable.length) {
    const where = unreadable.map(
      ({ table, column, unreadable: count }) => `${count} in ${table}.${column}`,
    )
    throw new UsageError(
      `Some values open with neither SLUICE_SECRET nor SLUICE_SECRET_PREVIOUS: ${where.join(', ')}. They were left as they are and all others are re-sealed. Run this again with the secret that sealed them as SLUICE_SECRET_PREVIOUS.`,
    )
  }
  // From now on a process that knows only the previous secret refuses to start.
  await session.recordSecret()
  if (flags.json !== true) return columns.map((column) => ({ ...column }))
  const total = (name: 'resealed' | 'current') =>
    columns.reduce((sum, column) => sum + column[name], 0)
  return { resealed: total('resealed'), current: total('current'), columns }
}
