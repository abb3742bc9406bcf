/**
 * People and their memberships. An email address identifies one person over all organizations of an
 * installation.
 */

import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { hashPassword } from '../auth/password.ts'
import type { Database } from '../database.ts'
import type { Role } from '../logins/login-store.ts'

export interface StoredPerson {
  readonly id: string
  readonly email: string
  readonly name: string | null
  /** Null until the invitation is accepted. */
  readonly passwordHash: string | null
}

export interface Membership {
  readonly id: string
  readonly name: string
  readonly role: Role
}

const personColumns = 'people.id, people.email, people.name, people.password_hash as "passwordHash"'
const membershipsMax = 1_000
const uniqueViolation = '23505'

/** `email` must be in lower case. */
export async function findPersonByEmail(
  pg: Database,
  email: string,
): Promise<StoredPerson | undefined> {
  const { rows } = await pg.query<StoredPerson>(
    `select ${personColumns} from people where email = $1`,
    [email],
  )
  return rows[0]
}

export async function findPerson(pg: Database, id: string): Promise<StoredPerson | undefined> {
  const { rows } = await pg.query<StoredPerson>(
    `select ${personColumns} from people where id = $1`,
    [id],
  )
  return rows[0]
}

/** Ordered by the time of joining. */
export async function listMemberships(pg: Database, personId: string): Promise<Membership[]> {
  const { rows } = await pg.query<Membership>(
    `select organizations.id, organizations.name, memberships.role
     from memberships join organizations on organizations.id = organization_id
     where person_id = $1 order by memberships.created_at, organizations.id limit ${membershipsMax}`,
    [personId],
  )
  return rows
}

/**
 * The organization through whose ledger an email to the person is sent: the first joined, but
 * preferably one without a hard bounce of the mailbox.
 */
export async function findMailingOrganization(
  pg: Database,
  person: { readonly id: string; readonly email: string },
): Promise<string | undefined> {
  const { rows } = await pg.query<{ organization_id: string }>(
    `select m.organization_id from memberships m
     left join addresses a on a.organization_id = m.organization_id and a.email_key = $2 and a.suppression_cause = 'hard'
     where m.person_id = $1 order by a.id is not null, m.created_at, m.organization_id limit 1`,
    [person.id, person.email],
  )
  return rows[0]?.organization_id
}

/**
 * Finds or creates the person with this address; the row stays locked until the transaction ends.
 */
export async function ensurePerson(
  pg: Database,
  person: { email: string; name: string | null },
): Promise<StoredPerson> {
  const { rows } = await pg.query<StoredPerson>(
    `insert into people (id, email, name) values ($1, $2, $3)
     on conflict (email) do update set email = excluded.email returning ${personColumns}`,
    [uuidv7(), person.email, person.name],
  )
  return rows[0]!
}

export async function addMembership(
  pg: Database,
  membership: { organizationId: string; personId: string; role: Role },
): Promise<'added' | 'member_already'> {
  const { rowCount } = await pg.query(
    `insert into memberships (organization_id, person_id, role) values ($1, $2, $3)
     on conflict do nothing`,
    [membership.organizationId, membership.personId, membership.role],
  )
  return rowCount === 1 ? 'added' : 'member_already'
}

export interface ListedPerson {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly joined: boolean
  /** A hard bounce was reported, so no email is sent to the address. */
  readonly undeliverable: boolean
  readonly last_seen_at: Date | null
  readonly created_at: Date
}

const listedColumns = `people.id, people.email, people.name, memberships.role,
  people.password_hash is not null as joined, memberships.created_at, exists (
    select from addresses a where a.organization_id = memberships.organization_id and a.email_key = people.email
      and a.suppression_cause = 'hard'
  ) as undeliverable, (
    select max(last_used_at) from logins
    where logins.person_id = people.id and logins.organization_id = memberships.organization_id
  ) as last_seen_at`
/** Far more rows than an organization has. A longer list is cut without notice. */
const peopleMax = 10_000

export async function listPeople(pg: Database, organizationId: string): Promise<ListedPerson[]> {
  const { rows } = await pg.query<ListedPerson>(
    `select ${listedColumns} from memberships join people on people.id = person_id
     where organization_id = $1 order by people.email limit ${peopleMax}`,
    [organizationId],
  )
  return rows
}

/** The member with this id or email address. */
export async function findMember(
  pg: Database,
  member: { organizationId: string; named: string },
): Promise<ListedPerson | undefined> {
  const { rows } = await pg.query<ListedPerson>(
    `select ${listedColumns} from memberships join people on people.id = person_id
     where organization_id = $1 and (people.id::text = lower($2) or people.email = lower($2))`,
    [member.organizationId, member.named],
  )
  return rows[0]
}

/** Locks the rows of all owners, so that two owners cannot demote each other concurrently. */
export async function lockOwners(pg: Database, organizationId: string): Promise<string[]> {
  const { rows } = await pg.query<{ person_id: string }>(
    `select person_id from memberships where organization_id = $1 and role = 'owner'
     order by person_id for update`,
    [organizationId],
  )
  return rows.map((row) => row.person_id)
}

export async function setRole(
  pg: Database,
  member: { organizationId: string; personId: string; role: Role },
): Promise<void> {
  await pg.query('update memberships set role = $3 where organization_id = $1 and person_id = $2', [
    member.organizationId,
    member.personId,
    member.role,
  ])
}

/**
 * Until the transaction ends, the member cannot be removed. Waits for a removal; throws `not_found`
 * when there is no such member then.
 */
export async function lockMembership(
  client: Database,
  member: { organizationId: string; personId: string },
): Promise<void> {
  const { rowCount } = await client.query(
    'select from memberships where organization_id = $1 and person_id = $2 for key share',
    [member.organizationId, member.personId],
  )
  if (rowCount === 0) throw new CodedError('not_found')
}

/** Until the transaction ends, nothing is assigned to the person. */
export async function lockPerson(
  client: Database,
  member: { organizationId: string; personId: string },
): Promise<void> {
  const { organizationId, personId } = member
  await client.query(
    'select from memberships where organization_id = $1 and person_id = $2 for update',
    [organizationId, personId],
  )
  await client.query('select from people where id = $1 for update', [personId])
}

/**
 * Also ends their logins and memberships of teams there. A person without any organization left is
 * deleted.
 */
export async function removeMember(
  pg: Database,
  member: { organizationId: string; personId: string },
): Promise<void> {
  const { organizationId, personId } = member
  await pg.query('delete from memberships where organization_id = $1 and person_id = $2', [
    organizationId,
    personId,
  ])
  await pg.query('delete from logins where organization_id = $1 and person_id = $2', [
    organizationId,
    personId,
  ])
  await pg.query(
    `delete from team_members using teams
     where teams.id = team_id and organization_id = $1 and person_id = $2`,
    [organizationId, personId],
  )
  // The lock waits for a concurrent invitation to another organization.
  await pg.query('select 1 from people where id = $1 for update', [personId])
  await pg.query(
    `delete from people where id = $1
       and not exists (select from memberships where person_id = $1)`,
    [personId],
  )
}

export async function setName(pg: Database, personId: string, name: string): Promise<void> {
  await pg.query('update people set name = $2 where id = $1', [personId, name])
}

export async function setPassword(
  pg: Database,
  change: { personId: string; passwordHash: string; now: Date },
): Promise<void> {
  await pg.query('update people set password_hash = $2, password_changed_at = $3 where id = $1', [
    change.personId,
    change.passwordHash,
    change.now,
  ])
}

/**
 * Adds a person with a password and a membership. Throws `conflict` when the email address belongs
 * to a person already.
 */
export async function addPerson(
  pg: Database,
  person: {
    organizationId: string
    email: string
    name: string
    password: string
    role: Role
  },
): Promise<{ id: string; email: string; name: string }> {
  const id = uuidv7()
  const email = person.email.trim().toLowerCase()
  const passwordHash = await hashPassword(person.password)
  try {
    await pg.query(
      `with person as (
         insert into people (id, email, name, password_hash) values ($1, $2, $3, $4) returning id
       )
       insert into memberships (organization_id, person_id, role) select $5, id, $6 from person`,
      [id, email, person.name, passwordHash, person.organizationId, person.role],
    )
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === uniqueViolation
    const message = 'A person with this email address exists already.'
    throw isTaken ? new CodedError('conflict', { message, cause }) : cause
  }
  return { id, email, name: person.name }
}
