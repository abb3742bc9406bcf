import { type AccessScope, accessScopes } from '#schemas/rest/access-scope.ts'
import type { Caller } from './access-token.ts'
import type { Person, Role } from './people-gate.ts'

const scopesOfRole = {
  viewer: ['feedback:read', 'issues:read'],
  member: accessScopes,
  owner: accessScopes,
} as const satisfies Record<Role, readonly AccessScope[]>

/** A person as a caller of routes below a project, with the scopes of their role. */
export function personCaller({ personId, organizationId, email, role }: Person): Caller {
  return {
    type: 'person',
    id: personId,
    organizationId,
    label: email,
    scopes: scopesOfRole[role],
    lastUsedAt: null,
  }
}
