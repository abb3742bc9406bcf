/** `team`: teams of people, which issues are assigned to. */
import { z } from 'zod'
import { DisplayName } from '#schemas/rest/account.ts'
import { type Team, TeamSlug } from '#schemas/rest/team.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { joinTeam, leaveTeam } from '../../../teams/change-members.ts'
import { createTeam } from '../../../teams/create-team.ts'
import { deleteTeam } from '../../../teams/delete-team.ts'
import { findTeam, listTeams } from '../../../teams/team-store.ts'
import { readTeam, teamItem } from '../../../teams/team-view.ts'
import { updateTeam } from '../../../teams/update-team.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { orUnknown } from '../project-actor.ts'

const personFlag = { '--email <person>': 'email address or id of a member of the organization!' }

export const teamVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listTeams',
    summary: 'List the teams of an organization',
    run: async ({ session, organization }) =>
      (await listTeams(session.pg, await organization())).map((team) => ({ ...teamItem(team) })),
  },
  {
    verb: 'show',
    operation: 'getTeam',
    summary: 'Show a team with its members, named by slug or id',
    operand: 'slug',
    run: async (run) => {
      const { actor, named } = await namedTeam(run)
      const { organizationId } = actor
      return printed(run, await readTeam(run.session.pg, { organizationId, named }))
    },
  },
  {
    verb: 'create',
    operation: 'createTeam',
    summary: 'Create a team',
    operand: 'slug',
    flags: { '--name <name>': 'the name that people see; default: the slug' },
    run: async (run) => {
      const slug = check(TeamSlug, '--slug', run.flags.slug)
      const name = check(DisplayName, '--name', run.flags.name ?? slug)
      const actor = commandLineActor(await run.organization())
      return printed(run, await createTeam(run.session, actor, { slug, name }))
    },
  },
  {
    verb: 'update',
    operation: 'updateTeam',
    summary: 'Change the name or the slug of a team',
    operand: 'slug',
    flags: { '--name <name>': 'its new name', '--to <slug>': 'its new slug' },
    run: async (run) => {
      const slug = check(TeamSlug.optional(), '--to', run.flags.to)
      const name = check(DisplayName.optional(), '--name', run.flags.name)
      if ((slug ?? name) === undefined) throw new UsageError('Say what to change: --name or --to.')
      const { actor, named } = await namedTeam(run)
      return printed(run, await updateTeam(run.session, actor, { named, change: { slug, name } }))
    },
  },
  {
    verb: 'delete',
    operation: 'deleteTeam',
    summary: 'Delete a team; its issues are assigned to nobody then',
    operand: 'slug',
    run: async (run) => {
      const { actor, named } = await namedTeam(run)
      return { ...teamItem(await deleteTeam(run.session, actor, { named })) }
    },
  },
  {
    verb: 'add-member',
    operation: 'addTeamMember',
    summary: 'Add a person to a team',
    operand: 'slug',
    flags: personFlag,
    run: async (run) => changeMember(run, joinTeam),
  },
  {
    verb: 'remove-member',
    operation: 'removeTeamMember',
    summary: 'Remove a person from a team',
    operand: 'slug',
    flags: personFlag,
    run: async (run) => changeMember(run, leaveTeam),
  },
]

const Named = z.string().min(1).max(254)

async function namedTeam(run: Run) {
  const organizationId = await run.organization()
  const named = check(Named, '--slug', run.flags.slug)
  if ((await findTeam(run.session.pg, { organizationId, named })) === undefined) {
    throw new UsageError(`No team is called ${named}: see \`team list\`.`)
  }
  return { actor: commandLineActor(organizationId), named }
}

async function changeMember(run: Run, change: typeof joinTeam) {
  const { actor, named } = await namedTeam(run)
  const person = check(Named, '--email', run.flags.email)
  const sentence = `Nobody is called ${person}: see \`person list\`.`
  return printed(
    run,
    await orUnknown(sentence, change(run.session, actor, { team: named, person })),
  )
}

/** With --json the whole team; else its members by email address. */
function printed({ flags }: Run, { members, ...team }: Team) {
  if (flags.json === true) return { ...team, members }
  return { ...team, members: members.map(({ email }) => email).join(' ') }
}
