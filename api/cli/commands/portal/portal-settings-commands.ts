/** `portal`: settings of a project's portal, its secrets, its users and its moderation queue. */
import { z } from 'zod'
import { PortalSettingsChange } from '#schemas/rest/portal/portal-settings.ts'
import { settingsView } from '../../../portal/settings/portal-settings-view.ts'
import { updatePortalSettings } from '../../../portal/settings/update-portal-settings.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'
import { projectAndActor } from '../project-actor.ts'
import { moderationVerbs } from './moderation-commands.ts'
import { namedPortal } from './named-portal.ts'
import { portalSecretVerbs } from './portal-secret-commands.ts'
import { portalUserVerbs } from './portal-user-commands.ts'

const OnOff = z.enum(['on', 'off']).transform((text) => text === 'on')
const { shape } = PortalSettingsChange

export const portalSettingsVerbs: readonly VerbPlan[] = [
  {
    verb: 'show',
    operation: 'getPortalSettings',
    summary: 'Show the settings of a portal',
    flags: projectFlag,
    run: async (run) => settingsView(await namedPortal(run)),
  },
  {
    verb: 'update',
    aliases: ['set'],
    operation: 'updatePortalSettings',
    summary: 'Change settings of a portal; omitted ones stay unchanged',
    flags: {
      ...projectFlag,
      '--origins <origins>': 'origins of pages that may call it, separated by commas, or any',
      '--moderation <mode>': 'what a moderator must approve: off, ideas or all',
      '--enduser-auth <on|off>': 'whether writes need a signed token',
      '--links-max <number>': 'a text with more links is pending',
      '--votes-per-minute <number>': 'votes from one client address, 5 or more',
    },
    run: async (run) => {
      const change = changeOf(run.flags)
      if (Object.keys(change).length === 0)
        throw new UsageError('Name at least one setting: --help lists them.')
      const { projectId, actor } = await projectAndActor(run)
      return settingsView(await updatePortalSettings(run.session, actor, { projectId, change }))
    },
  },
  ...portalSecretVerbs,
  ...portalUserVerbs,
  ...moderationVerbs,
]

function changeOf(flags: Run['flags']): PortalSettingsChange {
  const { origins, moderation, enduserAuth, linksMax, votesPerMinute } = flags
  const listed = origins === 'any' ? [] : origins?.split(',').map((origin) => origin.trim())
  return {
    ...(listed && { allowed_origins: check(shape.allowed_origins.unwrap(), '--origins', listed) }),
    ...(moderation && { moderation: check(shape.moderation.unwrap(), '--moderation', moderation) }),
    ...(enduserAuth && { enduser_auth: check(OnOff, '--enduser-auth', enduserAuth) }),
    ...(linksMax && {
      links_max: check(shape.links_max.unwrap(), '--links-max', Number(linksMax)),
    }),
    ...(votesPerMinute && {
      votes_per_minute_max: check(
        shape.votes_per_minute_max.unwrap(),
        '--votes-per-minute',
        Number(votesPerMinute),
      ),
    }),
  }
}
