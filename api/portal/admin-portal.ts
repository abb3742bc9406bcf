/** Helpers of the routes that administer a portal. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { StoredPortal } from './settings/portal-settings-store.ts'

export const PortalAdminPath = z.object({ project_id: z.string() })

/** The portal that the path names, which belongs to the organization of the person. */
export function adminPortalOf(request: FastifyRequest): StoredPortal {
  return request.getDecorator<StoredPortal>('adminPortal')
}

/**
 * Name under which visitors read what a person of the team writes. Null when the person has given
 * no name: then the name is the email address, which must not be published.
 */
export function signatureOf({ name, email }: { name: string; email: string }): string | null {
  return name === email ? null : name
}
