import { CodedError } from '#schemas/error-codes.ts'
import { type DeployList, deploysPerReleaseMax } from '#schemas/rest/releases/deploy.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { findReleaseRecord } from '../release-store.ts'
import { listStoredDeploys } from './deploy-store.ts'
import { deployItem } from './deploy-view.ts'

/** Throws `not_found` when the project has no such release. */
export async function listDeploys(
  ctx: Pick<ApiContext, 'pg'>,
  {
    project,
    version,
  }: { readonly project: Pick<StoredProject, 'dsnId'>; readonly version: string },
): Promise<DeployList> {
  if (version.includes('\0')) throw new CodedError('not_found')
  const key = { projectId: project.dsnId, version }
  found(await findReleaseRecord(ctx.pg, key))
  const rows = await listStoredDeploys(ctx.pg, { ...key, limit: deploysPerReleaseMax })
  return { items: rows.map(deployItem) }
}
