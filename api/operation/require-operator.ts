/**
 * The operator of an installation: an owner of its first organization, which `admin setup` or
 * `npm start` created. People of other organizations are customers of the operator.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../database.ts'
import type { Person } from '../logins/login-store.ts'

/** Throws `missing_role` for everybody else. */
export async function requireOperator(
  pg: Database,
  person: Pick<Person, 'role' | 'organizationId'>,
): Promise<void> {
  if (await isOperator(pg, person)) return
  throw new CodedError('missing_role', {
    message: 'This needs the role owner in the first organization of this installation.',
  })
}

export async function isOperator(
  pg: Database,
  { role, organizationId }: Pick<Person, 'role' | 'organizationId'>,
): Promise<boolean> {
  return role === 'owner' && (await findFirstOrganization(pg)) === organizationId
}

async function findFirstOrganization(pg: Database): Promise<string | undefined> {
  const { rows } = await pg.query<{ id: string }>(
    'select id from organizations order by created_at, id limit 1',
  )
  return rows[0]?.id
}
