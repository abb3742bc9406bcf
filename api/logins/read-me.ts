/** The person who is logged in, as `GET /me` shows them. */
import { CodedError } from '#schemas/error-codes.ts'
import type { Me } from '#schemas/rest/person.ts'
import type { Database } from '../database.ts'
import { isOperator } from '../operation/require-operator.ts'
import { listMemberships, type Membership } from '../people/person-store.ts'

export async function readMe(
  pg: Database,
  login: {
    readonly person: { readonly id: string; readonly email: string; readonly name: string | null }
    readonly organizationId: string
    readonly csrfToken: string
  },
): Promise<Me> {
  const organizations = await listMemberships(pg, login.person.id)
  const { id, name, role } = chooseMembership(organizations, login.organizationId)
  return {
    id: login.person.id,
    email: login.person.email,
    name: login.person.name ?? login.person.email,
    role,
    organization: { id, name },
    organizations,
    is_operator: await isOperator(pg, { role, organizationId: id }),
    csrf_token: login.csrfToken,
  }
}

/** The given organization; without one, the organization that the person joined first. */
export function chooseMembership(
  memberships: readonly Membership[],
  organizationId: string | undefined,
): Membership {
  const chosen =
    organizationId === undefined
      ? memberships[0]
      : memberships.find(({ id }) => id === organizationId.toLowerCase())
  if (chosen !== undefined) return chosen
  throw new CodedError('missing_role', { message: 'You do not belong to this organization.' })
}
