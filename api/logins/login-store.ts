/**
 * Logins of people. The database stores the hash of the cookie value only, so a copy of it opens no
 * login.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database.ts'

export type Role = 'viewer' | 'member' | 'owner'

/** The person of a login, with their role in the organization that the login works for. */
export interface Person {
  readonly personId: string
  readonly email: string
  readonly name: string
  readonly organizationId: string
  readonly role: Role
  readonly loginId: string
}

export interface StoredLogin extends Person {
  readonly csrfToken: string
  readonly lastUsedAt: Date
}

export interface NewLogin {
  readonly personId: string
  readonly organizationId: string
  readonly tokenHash: Buffer
  readonly csrfToken: string
  readonly userAgent: string | null
  readonly ip: string | null
  readonly now: Date
  readonly expiresAt: Date
}

const userAgentCharactersMax = 300

export async function addLogin(pg: Database, login: NewLogin): Promise<{ id: string }> {
  const id = uuidv7()
  await pg.query(
    `insert into logins (id, person_id, organization_id, token_hash, csrf_token, user_agent, ip, created_at, last_used_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
    [
      id,
      login.personId,
      login.organizationId,
      login.tokenHash,
      login.csrfToken,
      login.userAgent?.slice(0, userAgentCharactersMax) ?? null,
      login.ip,
      login.now,
      login.expiresAt,
    ],
  )
  return { id }
}

/** Returns undefined also if the person no longer belongs to the organization of the login. */
export async function findLogin(
  pg: Database,
  login: { tokenHash: Buffer; now: Date; usedSince: Date },
): Promise<StoredLogin | undefined> {
  const { rows } = await pg.query<StoredLogin>(
    `select people.id as "personId", people.email, coalesce(people.name, people.email) as name,
       logins.organization_id as "organizationId", memberships.role, logins.id as "loginId",
       logins.csrf_token as "csrfToken", logins.last_used_at as "lastUsedAt"
     from logins
     join people on people.id = logins.person_id
     join memberships on memberships.person_id = logins.person_id
       and memberships.organization_id = logins.organization_id
     where logins.token_hash = $1 and $2 < logins.expires_at and $3 < logins.last_used_at`,
    [login.tokenHash, login.now, login.usedSince],
  )
  return rows[0]
}

/** Deletes expired logins, and the oldest ones above the maximum per person. */
export async function sweepLogins(
  pg: Database,
  sweep: { personId: string; now: Date; usedSince: Date; loginsMax: number },
): Promise<void> {
  await pg.query(
    `delete from logins where person_id = $1 and (
       expires_at <= $2 or last_used_at <= $3
       or id in (select id from logins where person_id = $1 order by created_at desc, id desc offset $4)
     )`,
    [sweep.personId, sweep.now, sweep.usedSince, sweep.loginsMax],
  )
}

export interface ListedLogin {
  readonly id: string
  readonly user_agent: string | null
  readonly ip: string | null
  readonly created_at: Date
  readonly last_used_at: Date
  readonly expires_at: Date
  readonly organization: { readonly id: string; readonly name: string }
}

/** More logins than one person can have. */
const loginsMax = 100

/** The active logins, most recently used first. */
export async function listLogins(
  pg: Database,
  list: { personId: string; now: Date; usedSince: Date },
): Promise<ListedLogin[]> {
  const { rows } = await pg.query<ListedLogin>(
    `select l.id, l.user_agent, l.ip, l.created_at, l.last_used_at, l.expires_at,
       json_build_object('id', o.id, 'name', o.name) as organization
     from logins l join organizations o on o.id = l.organization_id
     where l.person_id = $1 and $2 < l.expires_at and $3 < l.last_used_at
     order by l.last_used_at desc, l.id desc limit ${loginsMax}`,
    [list.personId, list.now, list.usedSince],
  )
  return rows
}

/** Returns false if the person has no such login. */
export async function deleteLoginOf(
  pg: Database,
  login: { personId: string; loginId: string },
): Promise<boolean> {
  const { rowCount } = await pg.query('delete from logins where id = $1 and person_id = $2', [
    login.loginId,
    login.personId,
  ])
  return rowCount === 1
}

export async function deleteLogin(pg: Database, loginId: string): Promise<void> {
  await pg.query('delete from logins where id = $1', [loginId])
}

/** Ends all logins of a person except one, because someone else may know the old password. */
export async function deleteOtherLogins(
  pg: Database,
  login: { personId: string; keptId: string | null },
): Promise<void> {
  await pg.query('delete from logins where person_id = $1 and id is distinct from $2', [
    login.personId,
    login.keptId,
  ])
}

export async function moveLogin(
  pg: Database,
  login: { loginId: string; organizationId: string },
): Promise<void> {
  await pg.query('update logins set organization_id = $2 where id = $1', [
    login.loginId,
    login.organizationId,
  ])
}

/** Never moves back in time, so processes may write in any order. */
export async function touchLogin(pg: Database, loginId: string, at: Date): Promise<void> {
  await pg.query('update logins set last_used_at = $2 where id = $1 and last_used_at < $2', [
    loginId,
    at,
  ])
}
