import {
  findPortalOfOrganization,
  type StoredPortal,
} from '../../../portal/settings/portal-settings-store.ts'
import type { Run } from '../../command.ts'
import { namedProject } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'

/** The portal of the project that `--project` names, or of the only one. */
export async function namedPortal(run: Run): Promise<StoredPortal> {
  const { id: projectId, organizationId } = await namedProject(run)
  const portal = await findPortalOfOrganization(run.session.pg, { projectId, organizationId })
  if (portal === undefined) throw new UsageError('The project was deleted.')
  return portal
}
