/** Adding people to a team and removing them. Repeating either changes nothing. */
import { CodedError } from '#schemas/error-codes.ts'
import { membersPerTeamMax, type Team } from '#schemas/rest/team.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import { findMember, lockMembership } from '../people/person-store.ts'
import { addTeamMember, lockTeam, removeTeamMember, type StoredTeam } from './team-store.ts'
import { readTeam } from './team-view.ts'

export interface TeamMembership {
  /** Id or slug of the team. */
  readonly team: string
  /** Id or email address of a member of the organization. */
  readonly person: string
}

export async function joinTeam(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  membership: TeamMembership,
): Promise<Team> {
  return changeMembers(ctx, actor, membership, {
    action: 'team.member_added',
    change: async (client, { team, personId }) => {
      // A removal from the organization that runs meanwhile is waited for.
      await lockMembership(client, { organizationId: actor.organizationId, personId })
      const isAdded = await addTeamMember(client, { teamId: team.id, personId })
      if (isAdded && team.member_count >= membersPerTeamMax) {
        const message = `A team has at most ${membersPerTeamMax} members.`
        throw new CodedError('conflict', { message })
      }
      return isAdded
    },
  })
}

export async function leaveTeam(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  membership: TeamMembership,
): Promise<Team> {
  return changeMembers(ctx, actor, membership, {
    action: 'team.member_removed',
    change: (client, { team, personId }) => removeTeamMember(client, { teamId: team.id, personId }),
  })
}

interface MemberChange {
  readonly action: 'team.member_added' | 'team.member_removed'
  /** Returns whether it made a difference. */
  readonly change: (
    client: Database,
    member: { readonly team: StoredTeam; readonly personId: string },
  ) => Promise<boolean>
}

async function changeMembers(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { team: named, person: personNamed }: TeamMembership,
  { action, change }: MemberChange,
): Promise<Team> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const team = found(await lockTeam(client, { organizationId, named }))
    const person = found(await findMember(client, { organizationId, named: personNamed }))
    if (await change(client, { team, personId: person.id })) {
      await addAudit(client, actor, {
        action,
        subjectType: 'team',
        subjectId: team.id,
        details: { slug: team.slug, person_id: person.id, email: person.email },
      })
    }
    return readTeam(client, { organizationId, named: team.id })
  })
}
