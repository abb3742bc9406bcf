/** Voters of an idea, for the team only. */
import type { Voter } from '#schemas/rest/portal/idea-admin.ts'
import type { Database } from '../../database.ts'
import { isoTime } from '../idea-view.ts'

export type VoterPosition = readonly [at: string, id: string]

export interface ListedVoter extends Voter {
  readonly user: string
  /** Time of the vote with microseconds, for a cursor. */
  readonly position_at: string
}

export async function listVoters(
  pg: Database,
  list: { projectId: string; ideaId: string; limit: number; after: VoterPosition | undefined },
): Promise<ListedVoter[]> {
  const { rows } = await pg.query<ListedVoter>(
    `select u.id as user, u.enduser_id, u.name, coalesce(v.email, u.email) as email, v.via_idea_id, v.cast_by,
       ${isoTime('v.created_at')} as voted_at, v.created_at::text as position_at
     from votes v join endusers u on u.id = v.enduser_id join ideas i on i.id = v.idea_id
     where v.idea_id = $1 and i.project_id = $2
       and ($3::timestamptz is null or (v.created_at, u.id) > ($3, $4::uuid))
     order by v.created_at, u.id limit $5`,
    [list.ideaId, list.projectId, list.after?.[0] ?? null, list.after?.[1] ?? null, list.limit],
  )
  return rows
}

/** Cursor of the page that follows this voter. */
export function voterPosition(row: ListedVoter): [string, string] {
  return [row.position_at, row.user]
}

/** The voter without the fields that only a cursor needs. */
export function voterOf({ user: _user, position_at: _at, ...voter }: ListedVoter): Voter {
  return voter
}

/** Votes after a merge of the two ideas. Undefined: one of them is not an idea of the project. */
export async function countTogether(
  pg: Database,
  { projectId, ideaId, into }: { projectId: string; ideaId: string; into: string },
): Promise<{ votes: number; shared: number } | undefined> {
  const { rows } = await pg.query<{ votes: number; shared: number; ideas: number }>(
    `select count(*) + coalesce((select sum(imported_votes) from ideas
         where project_id = $1 and (id in ($2, $3) or duplicate_of in ($2, $3))), 0) as votes, count(*) filter (where both_of_them) as shared,
       (select count(*) from ideas where project_id = $1 and id in ($2, $3)) as ideas
     from (
       select count(*) = 2 as both_of_them from votes v join ideas i on i.id = v.idea_id
       where v.idea_id in ($2, $3) and i.project_id = $1 group by enduser_id
     ) voters`,
    [projectId, ideaId, into],
  )
  const { votes, shared, ideas } = rows[0]!
  return ideas === 2 ? { votes, shared } : undefined
}

/** Id of the row of the user whom the project calls `enduserId`; the row is created if needed. */
export async function ensureEndUser(
  pg: Database,
  user: { id: string; projectId: string; enduserId: string; now: Date },
): Promise<string> {
  const { rows } = await pg.query<{ id: string }>(
    `insert into endusers (id, project_id, enduser_id, created_at, last_seen_at) values ($1, $2, $3, $4, $4)
     on conflict (project_id, enduser_id) do update set enduser_id = excluded.enduser_id returning id`,
    [user.id, user.projectId, user.enduserId, user.now],
  )
  return rows[0]!.id
}
