/** Teams and their members. */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { teamsPerOrganizationMax } from '#schemas/rest/team.ts'
import type { Database } from '../database.ts'

export interface StoredTeam {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly member_count: number
  readonly created_at: Date
}

export interface TeamMember {
  readonly id: string
  readonly email: string
  readonly name: string | null
}

const uniqueViolation = '23505'

const columns = `teams.id, slug, name, created_at,
  (select count(*)::int from team_members where team_id = teams.id) as member_count`

/** By slug. */
export async function listTeams(pg: Database, organizationId: string): Promise<StoredTeam[]> {
  const { rows } = await pg.query<StoredTeam>(
    `select ${columns} from teams where organization_id = $1 order by slug limit ${teamsPerOrganizationMax}`,
    [organizationId],
  )
  return rows
}

export interface TeamName {
  readonly organizationId: string
  /** Its id or slug. */
  readonly named: string
}

export async function findTeam(
  pg: Database,
  { organizationId, named }: TeamName,
): Promise<StoredTeam | undefined> {
  const { rows } = await pg.query<StoredTeam>(
    `select ${columns} from teams where organization_id = $1 and (id::text = lower($2) or slug = $2)`,
    [organizationId, named],
  )
  return rows[0]
}

/** Locks the row, so that nothing is assigned to the team meanwhile. */
export async function lockTeam(client: Database, team: TeamName): Promise<StoredTeam | undefined> {
  await client.query(
    'select from teams where organization_id = $1 and (id::text = lower($2) or slug = $2) for update',
    [team.organizationId, team.named],
  )
  return findTeam(client, team)
}

/** By email address. */
export async function listMembers(pg: Database, teamId: string): Promise<TeamMember[]> {
  const { rows } = await pg.query<TeamMember>(
    `select people.id, email, name from team_members join people on people.id = person_id
     where team_id = $1 order by email`,
    [teamId],
  )
  return rows
}

/** Throws `conflict` for a slug that is taken, or too many teams. */
export async function addTeam(
  client: Database,
  team: { organizationId: string; slug: string; name: string },
): Promise<string> {
  // One request of the organization counts its teams at a time.
  await client.query('select from organizations where id = $1 for no key update', [
    team.organizationId,
  ])
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from teams where organization_id = $1',
    [team.organizationId],
  )
  if ((rows[0]?.count ?? 0) >= teamsPerOrganizationMax) {
    const message = `An organization has at most ${teamsPerOrganizationMax} teams.`
    throw new CodedError('conflict', { message })
  }
  const id = uuidv7()
  await orTaken(
    client.query('insert into teams (id, organization_id, slug, name) values ($1, $2, $3, $4)', [
      id,
      team.organizationId,
      team.slug,
      team.name,
    ]),
  )
  return id
}

export async function changeTeam(
  client: Database,
  team: { id: string; slug: string; name: string },
): Promise<void> {
  await orTaken(
    client.query('update teams set slug = $2, name = $3 where id = $1', [
      team.id,
      team.slug,
      team.name,
    ]),
  )
}

export async function deleteTeamRow(client: Database, id: string): Promise<void> {
  await client.query('delete from teams where id = $1', [id])
}

/** False when the person is in the team already. */
export async function addTeamMember(
  client: Database,
  member: { teamId: string; personId: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    'insert into team_members (team_id, person_id) values ($1, $2) on conflict do nothing',
    [member.teamId, member.personId],
  )
  return rowCount === 1
}

/** False when the person is not in the team. */
export async function removeTeamMember(
  client: Database,
  member: { teamId: string; personId: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from team_members where team_id = $1 and person_id = $2',
    [member.teamId, member.personId],
  )
  return rowCount === 1
}

async function orTaken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === uniqueViolation
    const message = 'A team with this slug exists already.'
    throw isTaken ? new CodedError('conflict', { message, cause }) : cause
  }
}
