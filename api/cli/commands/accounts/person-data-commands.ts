/** `person-data`: what is stored about one person. */
import type { PersonBody } from '#schemas/rest/deletion.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { deletionView } from '../../../deletions/deletion-view.ts'
import { erasePerson } from '../../../deletions/erase-person.ts'
import { exportPerson, showPerson } from '../../../deletions/show-person.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { exportTo, toFlag } from '../../files/export-to.ts'
import { sessionWith } from '../../session.ts'
import { UsageError } from '../../usage-error.ts'

const personFlags = {
  '--email <address>': 'the email address of the person',
  '--user-id <id>': 'the id of the user in events and portals',
  '--address <ip>': 'an IP address of the person',
}

export const personDataVerbs: readonly VerbPlan[] = [
  {
    verb: 'show',
    operation: 'showPersonData',
    summary: 'Count what is stored about a person, by table',
    flags: personFlags,
    run: async (run) => {
      const { session } = run
      const box = await session.box()
      const person = personIn(run)
      const shown = await showPerson(
        sessionWith(session, { box }),
        await run.organization(),
        person,
      )
      if (run.flags.json === true) return shown
      return Object.entries(shown.rows).map(([table, rows]) => ({ table, rows }))
    },
  },
  {
    verb: 'export',
    operation: 'exportPersonData',
    summary: 'Export what is stored about a person as JSON Lines',
    flags: { ...personFlags, ...toFlag },
    run: async (run) => {
      const actor = commandLineActor(await run.organization())
      const person = personIn(run)
      return exportTo(run, () => exportPerson(run.session, actor, person))
    },
  },
  {
    verb: 'erase',
    operation: 'erasePersonData',
    summary: 'Erase what is stored about a person; this cannot be undone',
    flags: { ...personFlags, '--yes': 'confirm; required' },
    run: async (run) => {
      const { session, flags } = run
      const person = personIn(run)
      if (flags.yes !== true) {
        throw new UsageError('This erases the person permanently: add --yes to confirm.')
      }
      const actor = commandLineActor(await run.organization())
      const box = await session.box()
      return deletionView(await erasePerson(sessionWith(session, { box }), actor, person))
    },
  },
]

function personIn({ flags }: Run): PersonBody {
  const { email, userId, address } = flags
  return {
    ...(email === undefined ? {} : { email }),
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(address === undefined ? {} : { address }),
  }
}
