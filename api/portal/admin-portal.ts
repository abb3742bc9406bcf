/** What the route files of a portal's administration share. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { StoredPortal } from './settings/portal-settings-store.ts'

export const portalAdminTags = ['portal administration']
export const PortalAdminPath = z.object({ project_id: z.string() })

/** The portal that the path names, of the person's organization. */
export function adminPortalOf(request: FastifyRequest): StoredPortal {
  return request.getDecorator<StoredPortal>('adminPortal')
}
