/** `person`: who may log in. Whoever runs commands is the first to let anybody in, so here links are shown. */
import { z } from 'zod'
import { DisplayName } from '#schemas/rest/account.ts'
import { PersonEmail, Role } from '#schemas/rest/person.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { Database } from '../../database.ts'
import { changeRole, invitePerson, removePerson, renewLink } from '../../people/change-members.ts'
import { findMember, type ListedPerson, listPeople } from '../../people/person-store.ts'
import { check } from '../check.ts'
import type { VerbPlan } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { withActor } from '../with-actor.ts'

const roleFlag = `one of ${Role.options.join(', ')}`

export const personVerbs: readonly VerbPlan[] = [
  {
    verb: 'invite',
    summary: 'Let a person in; prints the one-time link by which they choose a password',
    operand: 'email',
    flags: { '--role <role>': `${roleFlag}; member by default`, '--name <name>': 'their name' },
    run: async (run) => {
      const email = check(PersonEmail, '--email', run.flags.email)
      const role = check(Role, '--role', run.flags.role ?? 'member')
      const name = check(DisplayName.optional(), '--name', run.flags.name) ?? null
      return withActor(run, async (client, actor) => {
        const { personId, link } = await invitePerson(
          client,
          actor,
          { email, role, name },
          run.session,
        )
        return printed(await memberOf(client, actor, personId), link)
      })
    },
  },
  {
    verb: 'reset',
    summary: 'Make a new one-time link: to accept the invitation, or to choose another password',
    operand: 'email',
    run: async (run) =>
      withActor(run, async (client, actor) => {
        const person = await memberOf(client, actor, run.flags.email)
        return printed(person, await renewLink(client, actor, person.id, run.session))
      }),
  },
  {
    verb: 'role',
    summary: 'Change the role of a person: their address or id',
    operand: 'email',
    flags: { '--role <role>': `${roleFlag}!` },
    run: async (run) => {
      const role = check(Role, '--role', run.flags.role)
      return withActor(run, async (client, actor) => {
        const person = await memberOf(client, actor, run.flags.email)
        await changeRole(client, actor, { person, role })
        return printed({ ...person, role })
      })
    },
  },
  {
    verb: 'remove',
    summary:
      'Take a person out of the organization; their logins end at once, their tokens and keys are revoked',
    operand: 'email',
    flags: { '--reassign': 'keep the tokens and keys that they created' },
    run: async (run) =>
      withActor(run, async (client, actor) => {
        const person = await memberOf(client, actor, run.flags.email)
        const credentials = run.flags.reassign === true ? 'reassign' : 'revoke'
        const now = new Date(run.session.clock.nowMs())
        await removePerson(client, actor, { person, credentials, now })
        return printed(person)
      }),
  },
  {
    verb: 'list',
    summary: 'List the people of an organization',
    run: async ({ session, organization }) =>
      (await listPeople(session.pg, await organization())).map((person) => printed(person)),
  },
]

const Named = z.string().min(1).max(254)

async function memberOf(pg: Database, actor: Actor, named: unknown): Promise<ListedPerson> {
  const name = check(Named, '--email', named)
  const person = await findMember(pg, { organizationId: actor.organizationId, named: name })
  if (person === undefined) throw new UsageError(`Nobody is called ${name}: see \`person list\`.`)
  return person
}

function printed(person: ListedPerson, link?: { url: string; expiresAt: Date } | null) {
  const { id, email, name, role, joined, last_seen_at } = person
  const card = { id, email, name, role, joined, last_seen_at }
  if (link === undefined) return card
  return { ...card, link: link?.url ?? null, link_expires_at: link?.expiresAt ?? null }
}
