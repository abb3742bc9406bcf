/** Whether those who hold a live connection may still have it. */
import type { Database } from '../database.ts'
import type { Role } from '../logins/login-store.ts'

export interface ActiveLogin {
  readonly id: string
  readonly organizationId: string
  readonly role: Role
}

/** Of the given logins those that work, with what they work for now. */
export async function findActiveLogins(
  pg: Database,
  logins: { readonly ids: readonly string[]; readonly now: Date; readonly usedSince: Date },
): Promise<readonly ActiveLogin[]> {
  const { rows } = await pg.query<ActiveLogin>(
    `select l.id, l.organization_id as "organizationId", m.role
     from logins l
     join memberships m on m.person_id = l.person_id and m.organization_id = l.organization_id
     where l.id = any($1::uuid[]) and $2 < l.expires_at and $3 < l.last_used_at`,
    [logins.ids, logins.now, logins.usedSince],
    'live_logins',
  )
  return rows
}

/** Ids of the tokens that work. Their scopes never change. */
export async function findActiveTokens(
  pg: Database,
  tokens: { readonly ids: readonly string[]; readonly now: Date },
): Promise<readonly string[]> {
  const { rows } = await pg.query<{ id: string }>(
    `select id from access_tokens
     where id = any($1::uuid[]) and revoked_at is null and (expires_at is null or $2 < expires_at)`,
    [tokens.ids, tokens.now],
    'live_tokens',
  )
  return rows.map(({ id }) => id)
}

export async function findExistingProjects(
  pg: Database,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await pg.query<{ id: string }>(
    'select id from projects where id = any($1::uuid[])',
    [ids],
    'live_projects',
  )
  return rows.map(({ id }) => id)
}
