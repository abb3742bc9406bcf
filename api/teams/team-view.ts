import type { Team, TeamItem } from '#schemas/rest/team.ts'
import type { Database } from '../database.ts'
import { found } from '../http/route.ts'
import { findTeam, listMembers, type StoredTeam, type TeamName } from './team-store.ts'

export function teamItem({ created_at, ...team }: StoredTeam): TeamItem {
  return { ...team, created_at: created_at.toISOString() }
}

/** Throws `not_found`. */
export async function readTeam(pg: Database, name: TeamName): Promise<Team> {
  const team = found(await findTeam(pg, name))
  return { ...teamItem(team), members: await listMembers(pg, team.id) }
}
