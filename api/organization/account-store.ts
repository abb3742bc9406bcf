/**
 * Inserts organizations, people, projects, and their keys and credentials. Callers validate the
 * fields (schemas/rest/account.ts); only what the database knows is checked here. Each function
 * takes a pool or the client of an open transaction.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import type { DsnKeyNo, ProjectId, ProjectUuid, PublicKey } from '#schemas/ids.ts'
import { type AccessScope, defaultScopes } from '#schemas/rest/access-scope.ts'
import { hashPassword } from '../auth/password.ts'
import { makeSecret } from '../auth/secret.ts'
import type { Database } from '../database.ts'

export interface NewProject {
  readonly id: ProjectUuid
  readonly dsnId: ProjectId
  readonly name: string
  readonly shortName: string
  readonly projectKey: string
}

export interface NewDsnKey {
  readonly id: string
  readonly label: string | null
  readonly publicKey: PublicKey
  readonly keyNo: DsnKeyNo
}

/** `value` is returned once: the database stores its hash only. */
export interface NewCredential {
  readonly id: string
  readonly prefix: string
  readonly label: string
  readonly value: string
}

export interface NewNewsletter {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly from: string
  readonly confirm: boolean
}

export async function createOrganization(
  pg: Database,
  organization: { name: string },
): Promise<{ id: string; name: string }> {
  const id = uuidv7()
  await pg.query('insert into organizations (id, name) values ($1, $2)', [id, organization.name])
  return { id, name: organization.name }
}

export async function createPerson(
  pg: Database,
  person: {
    organizationId: string
    email: string
    name: string
    password: string
    role: 'owner' | 'member' | 'viewer'
  },
): Promise<{ id: string; email: string; name: string }> {
  const id = uuidv7()
  const email = person.email.trim().toLowerCase()
  const passwordHash = await hashPassword(person.password)
  await orConflict(
    pg.query(
      `with person as (
         insert into people (id, email, name, password_hash) values ($1, $2, $3, $4) returning id
       )
       insert into memberships (organization_id, person_id, role) select $5, id, $6 from person`,
      [id, email, person.name, passwordHash, person.organizationId, person.role],
    ),
    'A person with this email address exists already.',
  )
  return { id, email, name: person.name }
}

/** Creates no DSN key. The caller creates the default key in the same transaction. */
export async function createProject(
  pg: Database,
  project: { organizationId: string; name: string },
): Promise<NewProject> {
  const id = uuidv7() as ProjectUuid
  // Fully random, because public URLs contain the key and must not reveal when the project was
  // created.
  const projectKey = randomUUID()
  for (let attempt = 1; attempt <= shortNameTriesMax; attempt++) {
    const { rows: taken } = await pg.query<{ short_name: string }>(
      'select short_name from projects where organization_id = $1',
      [project.organizationId],
    )
    const shortName = freeShortName(project.name, new Set(taken.map((row) => row.short_name)))
    // `do nothing` instead of an error, which would abort the transaction of the caller.
    const { rows } = await pg.query<{ dsn_id: ProjectId }>(
      `insert into projects (id, organization_id, name, short_name, project_key)
       values ($1, $2, $3, $4, $5)
       on conflict (organization_id, short_name) do nothing returning dsn_id`,
      [id, project.organizationId, project.name, shortName, projectKey],
    )
    const dsnId = rows[0]?.dsn_id
    if (dsnId !== undefined) return { id, dsnId, name: project.name, shortName, projectKey }
  }
  throw new CodedError('conflict', { message: 'Too many projects of this name are being made.' })
}

/** The default key has no label. Other labels name a component. */
export async function createDsnKey(
  pg: Database,
  key: { projectId: string; label: string | null },
): Promise<NewDsnKey> {
  const id = uuidv7()
  const publicKey = randomBytes(16).toString('hex') as PublicKey
  const { rows } = await pg.query<{ key_no: DsnKeyNo }>(
    `insert into dsn_keys (id, project_id, public_key, label)
     values ($1, $2, $3, $4) returning key_no`,
    [id, key.projectId, publicKey, key.label],
  )
  return { id, label: key.label, publicKey, keyNo: rows[0]!.key_no }
}

export async function createAccessToken(
  pg: Database,
  token: {
    organizationId: string
    label: string
    scopes?: readonly AccessScope[]
    expiresAt?: Date | null
    createdBy?: string | null
  },
): Promise<NewCredential & { scopes: readonly AccessScope[] }> {
  const id = uuidv7()
  const secret = makeSecret('oat_')
  const scopes = token.scopes ?? defaultScopes
  await pg.query(
    `insert into access_tokens (id, organization_id, label, prefix, token_hash, scopes, expires_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      token.organizationId,
      token.label,
      secret.prefix,
      secret.hash,
      scopes,
      token.expiresAt,
      token.createdBy,
    ],
  )
  return { id, prefix: secret.prefix, label: token.label, scopes, value: secret.value }
}

export async function createApiKey(
  pg: Database,
  key: {
    organizationId: string
    label: string
    expiresAt?: Date | null
    createdBy?: string | null
  },
): Promise<NewCredential> {
  const id = uuidv7()
  const secret = makeSecret('emk_')
  await pg.query(
    `insert into api_keys (id, organization_id, label, prefix, key_hash, expires_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, key.organizationId, key.label, secret.prefix, secret.hash, key.expiresAt, key.createdBy],
  )
  return { id, prefix: secret.prefix, label: key.label, value: secret.value }
}

export async function createNewsletter(
  pg: Database,
  newsletter: {
    organizationId: string
    slug: string
    name: string
    from: string
    confirm: boolean
  },
): Promise<NewNewsletter> {
  const { organizationId, slug, name, from, confirm } = newsletter
  const id = uuidv7()
  await orConflict(
    pg.query(
      `insert into newsletters (id, organization_id, slug, name, from_address, confirm_signups)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, organizationId, slug, name, from, confirm],
    ),
    'A newsletter with this slug exists already.',
  )
  return { id, slug, name, from, confirm }
}

/** Formats the DSN for SDKs. A path of the ingest URL precedes the project number. */
export function formatDsn(parts: {
  ingestUrl: string
  publicKey: string
  dsnId: number | string
}): string {
  const { protocol, host, pathname } = new URL(parts.ingestUrl)
  return `${protocol}//${parts.publicKey}@${host}${pathname.replace(/(?<!\/)\/+$/, '')}/${parts.dsnId}`
}

const shortNameCharactersMax = 20
/** A try fails when another project with the same short name was created concurrently. */
const shortNameTriesMax = 20

/**
 * Upper case letters and digits of the name (`Web shop` becomes `WEB-SHOP`), with a number if
 * taken.
 */
export function freeShortName(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .match(/[A-Z0-9]+/g)
  const wanted = words?.join('-').slice(0, shortNameCharactersMax).replace(/-$/, '') ?? 'PROJECT'
  if (!taken.has(wanted)) return wanted
  let number = 2
  while (taken.has(`${wanted}${number}`)) number += 1
  return `${wanted}${number}`
}

const uniqueViolation = '23505'

async function orConflict<T>(query: Promise<T>, message: string): Promise<T> {
  try {
    return await query
  } catch (cause) {
    const conflict = cause instanceof Error && 'code' in cause && cause.code === uniqueViolation
    throw conflict ? new CodedError('conflict', { message, cause }) : cause
  }
}
