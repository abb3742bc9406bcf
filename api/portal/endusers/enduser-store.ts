/** Users of a portal, by the id that the project's own site gives them. */
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../database.ts'

export type EmailSource = 'token' | 'typed'

export interface EndUserRow {
  readonly id: string
  readonly enduserId: string
  readonly email: string | null
  readonly emailSource: EmailSource | null
  readonly name: string | null
  readonly trusted: boolean
  readonly blockedAt: Date | null
  readonly lastSeenAt: Date
}

export interface SeenEndUser {
  readonly projectId: string
  readonly enduserId: string
  readonly email: string | undefined
  readonly emailSource: EmailSource
  readonly name: string | undefined
  /** A valid token names the user, so its email and name replace the stored ones. */
  readonly signed: boolean
  readonly now: Date
}

const columns = `id, enduser_id "enduserId", email, email_source "emailSource", name, trusted,
  blocked_at "blockedAt", last_seen_at "lastSeenAt"`

export async function findEndUser(
  pg: Database,
  { projectId, enduserId }: { projectId: string; enduserId: string },
): Promise<EndUserRow | undefined> {
  const { rows } = await pg.query<EndUserRow>(
    `select ${columns} from endusers where project_id = $1 and enduser_id = $2`,
    [projectId, enduserId],
  )
  return rows[0]
}

/** The condition of `replacesEmail`. */
const mayReplace = `(e.email is null or ($8 and (excluded.email_source = 'token' or e.email_source = 'typed')))`

/**
 * Without this rule, anybody who knows an id could redirect the email of its owner. Only a
 * request with a token replaces an address, and only an address from a token replaces one from a
 * token.
 */
export function replacesEmail(
  known: Pick<EndUserRow, 'email' | 'emailSource'>,
  seen: Pick<SeenEndUser, 'email' | 'emailSource' | 'signed'>,
): boolean {
  if (seen.email === undefined) return false
  if (known.email === null) return true
  return seen.signed && (seen.emailSource === 'token' || known.emailSource === 'typed')
}

/** Creates or updates the row of a user who writes. */
export async function saveEndUser(pg: Database, user: SeenEndUser): Promise<EndUserRow> {
  const { rows } = await pg.query<EndUserRow>(
    `insert into endusers as e (id, project_id, enduser_id, email, email_source, name, created_at, last_seen_at)
     values ($1, $2, $3, $4, case when $4::text is not null then $5 end, $6, $7, $7)
     on conflict (project_id, enduser_id) do update set
       email = case when ${mayReplace} then coalesce(excluded.email, e.email) else e.email end,
       email_source = case when ${mayReplace}
         then coalesce(excluded.email_source, e.email_source) else e.email_source end,
       name = case when $8 or e.name is null then coalesce(excluded.name, e.name) else e.name end,
       last_seen_at = greatest(e.last_seen_at, excluded.last_seen_at)
     returning ${columns}`,
    [
      uuidv7(),
      user.projectId,
      user.enduserId,
      user.email ?? null,
      user.emailSource,
      user.name ?? null,
      user.now,
      user.signed,
    ],
  )
  return rows[0]!
}

export interface PortalUserRow extends EndUserRow {
  readonly ideaCount: number
  readonly voteCount: number
  readonly commentCount: number
  readonly createdAt: Date
  /** `created_at` with microseconds, for the cursor. */
  readonly cursorTime: string
}

const userSelect = `select ${columns}, created_at "createdAt", to_json(created_at)#>>'{}' "cursorTime",
  (select count(*)::int from ideas i where i.author_id = e.id) "ideaCount",
  (select count(*)::int from votes v where v.enduser_id = e.id) "voteCount",
  (select count(*)::int from comments c where c.author_id = e.id) "commentCount"
  from endusers e`

/** Newest first. */
export async function listPortalUsers(
  pg: Database,
  query: {
    projectId: string
    search: string | undefined
    blocked: boolean | undefined
    after: readonly [time: string, id: string] | undefined
    rowsMax: number
  },
): Promise<PortalUserRow[]> {
  const { rows } = await pg.query<PortalUserRow>(
    `${userSelect} where project_id = $1
       and ($2::text is null or strpos(lower(concat_ws(e'\\n', enduser_id, email, name)), lower($2)) > 0)
       and ($3::boolean is null or (blocked_at is not null) = $3)
       and ($4::timestamptz is null or (created_at, id) < ($4, $5::uuid))
     order by created_at desc, id desc limit $6`,
    [
      query.projectId,
      query.search || null,
      query.blocked ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.rowsMax,
    ],
  )
  return rows
}

export async function findPortalUser(
  pg: Database,
  { projectId, id }: { projectId: string; id: string },
): Promise<PortalUserRow | undefined> {
  const { rows } = await pg.query<PortalUserRow>(
    `${userSelect} where project_id = $1 and id = $2`,
    [projectId, id],
  )
  return rows[0]
}

/** Undefined flags stay unchanged. False: there is no such user. */
export async function setPortalUserFlags(
  pg: Database,
  user: {
    projectId: string
    id: string
    trusted: boolean | undefined
    blocked: boolean | undefined
    now: Date
  },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update endusers set trusted = coalesce($3, trusted),
       blocked_at = case when $4::boolean is null then blocked_at when $4 then coalesce(blocked_at, $5) end
     where project_id = $1 and id = $2`,
    [user.projectId, user.id, user.trusted ?? null, user.blocked ?? null, user.now],
  )
  return rowCount === 1
}

/** Removes everything that identifies the user from all tables. False: there is no such user. */
export async function anonymizeEndUser(
  pg: Database,
  { projectId, id }: { projectId: string; id: string },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update endusers set enduser_id = 'erased:' || id, email = null, email_source = null, name = null, trusted = false
     where project_id = $1 and id = $2`,
    [projectId, id],
  )
  if (rowCount !== 1) return false
  await pg.query('update votes set email = null where enduser_id = $1', [id])
  await pg.query('update ideas set author_email = null where author_id = $1', [id])
  await pg.query(
    'update comments set author_email = null, author_name = null where author_id = $1',
    [id],
  )
  return true
}
