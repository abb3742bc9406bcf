/** `secret`: the secret of the installation, SLUICE_SECRET. */
import { rotateSecret } from '../../../secrets/rotate-secret.ts'
import type { Run, VerbPlan } from '../../command.ts'

export const secretVerbs: readonly VerbPlan[] = [
  {
    verb: 'rotate',
    summary:
      'Re-seal stored secrets with SLUICE_SECRET; SLUICE_SECRET_PREVIOUS is the secret before it',
    run: rotate,
  },
]

async function rotate({ session, flags }: Run) {
  const { pg, recordSecret } = session
  const columns = await rotateSecret({ pg, box: await session.box(), recordSecret })
  if (flags.json !== true) return columns.map((column) => ({ ...column }))
  const total = (name: 'resealed' | 'current') =>
    columns.reduce((sum, column) => sum + column[name], 0)
  return { resealed: total('resealed'), current: total('current'), columns }
}
