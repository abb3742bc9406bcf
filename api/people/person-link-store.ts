/** One-time links to set a password: invitations, and links after a forgotten password. */
import type { Database } from '../database.ts'

export type PersonLinkKind = 'invite' | 'reset'

export interface StoredPersonLink {
  readonly personId: string
  readonly kind: PersonLinkKind
  readonly email: string
  readonly name: string | null
}

/** Deletes earlier links of the person: only the newest link works. */
export async function addPersonLink(
  pg: Database,
  link: { tokenHash: Buffer; personId: string; kind: PersonLinkKind; expiresAt: Date; now: Date },
): Promise<void> {
  await pg.query('delete from person_links where person_id = $1', [link.personId])
  await pg.query(
    `insert into person_links (token_hash, person_id, kind, expires_at, created_at)
     values ($1, $2, $3, $4, $5)`,
    [link.tokenHash, link.personId, link.kind, link.expiresAt, link.now],
  )
}

/** Returns undefined for an unknown, used or expired link. */
export async function findPersonLink(
  pg: Database,
  link: { tokenHash: Buffer; now: Date },
): Promise<StoredPersonLink | undefined> {
  const { rows } = await pg.query<StoredPersonLink>(
    `select person_id as "personId", kind, email, name
     from person_links join people on people.id = person_id
     where token_hash = $1 and used_at is null and $2 < expires_at`,
    [link.tokenHash, link.now],
  )
  return rows[0]
}

/** Marks the link as used. Of two concurrent requests, one gets it. */
export async function usePersonLink(
  pg: Database,
  link: { tokenHash: Buffer; now: Date },
): Promise<StoredPersonLink | undefined> {
  const { rows } = await pg.query<StoredPersonLink>(
    `update person_links set used_at = $2 from people
     where token_hash = $1 and used_at is null and $2 < expires_at and people.id = person_id
     returning person_id as "personId", kind, email, name`,
    [link.tokenHash, link.now],
  )
  return rows[0]
}
