/** `portal …-user`: users of a portal. */
import { z } from 'zod'
import { found } from '../../../http/route.ts'
import { findPortalUser, listPortalUsers } from '../../../portal/endusers/enduser-store.ts'
import { erasePortalUser } from '../../../portal/endusers/erase-portal-user.ts'
import { portalUserView } from '../../../portal/endusers/portal-user-view.ts'
import { updatePortalUser } from '../../../portal/endusers/update-portal-user.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'

const usersShownMax = 100
const YesNo = z.enum(['yes', 'no']).transform((text) => text === 'yes')

export const portalUserVerbs: readonly VerbPlan[] = [
  {
    verb: 'list-users',
    operation: 'listPortalUsers',
    summary: 'List the users of a portal, newest first, at most 100',
    flags: { ...projectFlag, '--search <text>': 'a part of the id, the address or the name' },
    run: async (run) => {
      const { projectId } = await projectAndActor(run)
      const { search } = run.flags
      const query = { projectId, search, blocked: undefined, after: undefined }
      const rows = await listPortalUsers(run.session.pg, { ...query, rowsMax: usersShownMax })
      return rows.map(portalUserView)
    },
  },
  {
    verb: 'show-user',
    operation: 'getPortalUser',
    summary: 'Show a user of a portal',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const id = idIn(run)
      const { projectId } = await projectAndActor(run)
      const find = async () => found(await findPortalUser(run.session.pg, { projectId, id }))
      return portalUserView(await orUnknown(unknown(id), find()))
    },
  },
  {
    verb: 'update-user',
    operation: 'updatePortalUser',
    summary: 'Trust or block a user of a portal',
    operand: 'id',
    flags: {
      ...projectFlag,
      '--trusted <yes|no>': 'whether ideas and comments are published without moderation',
      '--blocked <yes|no>': 'whether the user cannot write',
    },
    run: async (run) => {
      const { trusted, blocked } = run.flags
      if (trusted === undefined && blocked === undefined)
        throw new UsageError('Name --trusted or --blocked.')
      const id = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const updated = updatePortalUser(run.session, actor, {
        projectId,
        id,
        trusted: trusted === undefined ? undefined : check(YesNo, '--trusted', trusted),
        blocked: blocked === undefined ? undefined : check(YesNo, '--blocked', blocked),
      })
      return portalUserView(await orUnknown(unknown(id), updated))
    },
  },
  {
    verb: 'erase-user',
    operation: 'erasePortalUser',
    summary: 'Erase the id, the addresses and the name of a user; this cannot be undone',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const id = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      await orUnknown(unknown(id), erasePortalUser(run.session, actor, { projectId, id }))
      return { id, erased: true }
    },
  },
]

function unknown(id: string): string {
  return `No user of this portal is called ${id}: see \`portal list-users\`.`
}
