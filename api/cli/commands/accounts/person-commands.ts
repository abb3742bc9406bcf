/**
 * `person`: who may log in. The first person can only be invited here, so one-time links are
 * printed.
 */
import { z } from 'zod'
import { DisplayName } from '#schemas/rest/account.ts'
import { PersonEmail, Role } from '#schemas/rest/person.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import type { DeliveredLink } from '../../../people/deliver-link.ts'
import { invitePerson } from '../../../people/invite-person.ts'
import { findMember, type ListedPerson, listPeople } from '../../../people/person-store.ts'
import { removePerson } from '../../../people/remove-person.ts'
import { renewPersonLink } from '../../../people/renew-person-link.ts'
import { updatePerson } from '../../../people/update-person.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'

const roleFlag = `one of ${Role.options.join(', ')}`
const delivery = { kind: 'returned' } as const

export const personVerbs: readonly VerbPlan[] = [
  {
    verb: 'invite',
    operation: 'invitePerson',
    summary: 'Invite a person and print the one-time link to choose a password',
    addresses: ['API_URL'],
    operand: 'email',
    flags: { '--role <role>': `${roleFlag}; default member`, '--name <name>': 'their name' },
    run: async (run) => {
      const email = check(PersonEmail, '--email', run.flags.email)
      const role = check(Role, '--role', run.flags.role ?? 'member')
      const name = check(DisplayName.optional(), '--name', run.flags.name) ?? null
      const actor = commandLineActor(await run.organization())
      const invited = await invitePerson(run.session, actor, { email, role, name, delivery })
      return printedWithLink(invited.person, invited.delivered)
    },
  },
  {
    verb: 'link',
    aliases: ['reset'],
    operation: 'sendPersonLink',
    summary: 'Print a new one-time link: the invitation again, or to choose another password',
    addresses: ['API_URL'],
    operand: 'email',
    run: async (run) => {
      const { actor, person } = await memberOf(run)
      const input = { personId: person.id, delivery }
      const { delivered } = await renewPersonLink(run.session, actor, input)
      return printedWithLink(person, delivered)
    },
  },
  {
    verb: 'update',
    aliases: ['role'],
    operation: 'updatePerson',
    summary: 'Update the role of a person, named by email address or id',
    operand: 'email',
    flags: { '--role <role>': `${roleFlag}!` },
    run: async (run) => {
      const role = check(Role, '--role', run.flags.role)
      const { actor, person } = await memberOf(run)
      return printed(await updatePerson(run.session, actor, { personId: person.id, role }))
    },
  },
  {
    verb: 'remove',
    operation: 'removePerson',
    summary:
      'Remove a person from the organization, end their logins and revoke their tokens and keys',
    operand: 'email',
    flags: { '--reassign': 'keep the access tokens and API keys that they created' },
    run: async (run) => {
      const { actor, person } = await memberOf(run)
      const credentials = run.flags.reassign === true ? 'reassign' : 'revoke'
      return printed(await removePerson(run.session, actor, { personId: person.id, credentials }))
    },
  },
  {
    verb: 'list',
    operation: 'listPeople',
    summary: 'List the people of an organization',
    run: async ({ session, organization }) =>
      (await listPeople(session.pg, await organization())).map((person) => printed(person)),
  },
  {
    verb: 'show',
    operation: 'getPerson',
    summary: 'Show a person, named by email address or id',
    operand: 'email',
    run: async (run) => printed((await memberOf(run)).person),
  },
]

const Named = z.string().min(1).max(254)

async function memberOf(run: Run) {
  const organizationId = await run.organization()
  const named = check(Named, '--email', run.flags.email)
  const person = await findMember(run.session.pg, { organizationId, named })
  if (person === undefined) throw new UsageError(`Nobody is called ${named}: see \`person list\`.`)
  return { actor: commandLineActor(organizationId), person }
}

function printed({ id, email, name, role, joined, last_seen_at }: ListedPerson) {
  return { id, email, name, role, joined, last_seen_at }
}

function printedWithLink(person: ListedPerson, delivered: DeliveredLink) {
  const link = delivered.kind === 'returned' ? delivered.link : null
  const fields = { link: link?.url ?? null, link_expires_at: link?.expiresAt ?? null }
  return { ...printed(person), ...fields }
}
