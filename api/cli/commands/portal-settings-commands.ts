/** `portal`: who may call a project's portal, how its users prove who they are, and what waits for a moderator. */
import { z } from 'zod'
import { Decision } from '#schemas/rest/portal/moderation.ts'
import { PortalSettingsChange } from '#schemas/rest/portal/portal-settings.ts'
import { commandLineActor } from '../../audit/audit-store.ts'
import { decide } from '../../moderation/decide.ts'
import { listQueue } from '../../moderation/moderation-store.ts'
import { checkEndUserToken } from '../../portal/gate/enduser-token.ts'
import { enduserSecretPurpose } from '../../portal/gate/portal-directory.ts'
import { makeSecret, retireSecretOf } from '../../portal/secrets/change-secrets.ts'
import { listSecrets } from '../../portal/secrets/enduser-secret-store.ts'
import { secretView } from '../../portal/secrets/secret-routes.ts'
import { changePortalSettings } from '../../portal/settings/change-portal-settings.ts'
import { settingsView } from '../../portal/settings/portal-settings-routes.ts'
import { findPortalOfOrganization } from '../../portal/settings/portal-settings-store.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'

const queueShownMax = 100
const Id = z.guid()
const OnOff = z.enum(['on', 'off']).transform((text) => text === 'on')
const { shape } = PortalSettingsChange

export const portalSettingsVerbs: readonly VerbPlan[] = [
  {
    verb: 'show',
    summary: 'Show the settings of a portal',
    flags: projectFlag,
    run: async (run) => settingsView(await namedPortal(run)),
  },
  {
    verb: 'set',
    summary: 'Change the settings of a portal; what is not named stays as it is',
    flags: {
      ...projectFlag,
      '--origins <origins>': 'pages that may call it, with commas between them, or any',
      '--moderation <mode>': 'what waits for a moderator: off, ideas or all',
      '--enduser-auth <on|off>': 'whether writes need a signed token',
      '--links-max <number>': 'a text with more links waits for a moderator',
      '--votes-per-minute <number>': 'votes of one address, 5 or more',
    },
    run: async (run) => {
      const change = changeOf(run.flags)
      if (Object.keys(change).length === 0)
        throw new UsageError('Say what to set: --help lists it.')
      const { projectId, organizationId } = await namedPortal(run)
      const actor = commandLineActor(organizationId)
      const changed = await changePortalSettings(run.session.pg, { projectId, actor, change })
      if (changed === undefined) throw new UsageError('The project is gone.')
      return settingsView(changed)
    },
  },
  {
    verb: 'secrets',
    summary: 'List the secrets of end-user auth',
    flags: projectFlag,
    run: async (run) => {
      const rows = await listSecrets(run.session.pg, (await namedPortal(run)).projectId)
      return rows.map(secretView)
    },
  },
  {
    verb: 'make-secret',
    summary: 'Make a secret that signs the tokens of users; it is shown this once',
    flags: projectFlag,
    run: async (run) => {
      const { session } = run
      const change = await changeBy(run)
      const { row, secret } = await makeSecret({ pg: session.pg, box: await session.box() }, change)
      return { ...secretView(row), secret }
    },
  },
  {
    verb: 'retire-secret',
    summary: 'Retire a secret: its tokens count no more',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const id = check(Id, 'id', run.flags.id ?? '')
      return secretView(await retireSecretOf(run.session.pg, { ...(await changeBy(run)), id }))
    },
  },
  {
    verb: 'try-token',
    summary: 'Say whom a token names, or what exactly is wrong with it',
    operand: 'token',
    flags: projectFlag,
    run: async (run) => {
      const { secrets, projectKey } = await namedPortal(run)
      const box = await run.session.box()
      const keys = secrets.map(({ id, sealed }) =>
        Buffer.from(box.open(enduserSecretPurpose, id, sealed), 'utf8'),
      )
      const nowMs = run.session.clock.nowMs()
      const checked = checkEndUserToken((run.flags.token ?? '').trim(), { keys, projectKey, nowMs })
      return checked.kind === 'user'
        ? { valid: true, enduser_id: checked.user.enduserId, email: checked.user.email ?? null }
        : { valid: false, code: `token_${checked.kind}`, reason: checked.reason }
    },
  },
  {
    verb: 'queue',
    summary: 'List what waits for a moderator, oldest first, at most 100',
    flags: projectFlag,
    run: async (run) => {
      const { projectId } = await namedPortal(run)
      const query = { projectId, kind: undefined, after: undefined, rowsMax: queueShownMax }
      return (await listQueue(run.session.pg, query)).map((row) => ({
        kind: row.kind,
        id: row.id,
        title: row.title,
        text: row.text,
        enduser_id: row.enduserId,
        created_at: row.createdAt.toISOString(),
      }))
    },
  },
  {
    verb: 'decide',
    summary: 'Decide on an idea or a comment that waits',
    operand: 'id',
    flags: {
      ...projectFlag,
      '--type <kind>': 'idea or comment!',
      '--decision <decision>': 'approve, approve_and_trust, reject or block!',
      '--reason <text>': 'why it is rejected',
    },
    run: async (run) => {
      const { type, decision, reason, id } = run.flags
      const item = {
        ...(await changeBy(run)),
        kind: check(z.enum(['idea', 'comment']), '--type', type ?? ''),
        id: check(Id, 'id', id ?? ''),
        decision: Decision.parse({
          decision: check(Decision.shape.decision, '--decision', decision ?? ''),
          ...(reason === undefined ? {} : { reason }),
        }),
      }
      return { id: item.id, moderation: await decide(run.session.pg, item) }
    },
  },
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

async function changeBy(run: Run) {
  const { projectId, organizationId } = await namedPortal(run)
  const now = new Date(run.session.clock.nowMs())
  return { projectId, actor: commandLineActor(organizationId), now }
}

async function namedPortal(run: Run) {
  const { id: projectId, organizationId } = await namedProject(run)
  const portal = await findPortalOfOrganization(run.session.pg, { projectId, organizationId })
  if (portal === undefined) throw new UsageError('The project is gone.')
  return portal
}
