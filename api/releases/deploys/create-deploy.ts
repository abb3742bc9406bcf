import { v7 as uuidv7 } from 'uuid'
import type { Deploy, NewDeploy } from '#schemas/rest/releases/deploy.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import type { StoredProject } from '../../projects/project-store.ts'
import { writeRelease } from '../release-store.ts'
import { requireVersion } from '../require-version.ts'
import { addDeploy, type StoredDeploy } from './deploy-store.ts'
import { deployItem } from './deploy-view.ts'

export interface CreateDeploy {
  readonly project: Pick<StoredProject, 'dsnId'>
  readonly version: string
  readonly deploy: NewDeploy
}

/** Says that a release was put into an environment, before or after its first event. */
export async function createDeploy(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  { project, version, deploy }: CreateDeploy,
): Promise<Deploy> {
  requireVersion(version)
  const now = new Date(ctx.clock.nowMs())
  const started = deploy.started_at ? new Date(deploy.started_at) : null
  const finished = deploy.finished_at ? new Date(deploy.finished_at) : now
  if (started !== null && finished < started) {
    throw invalidField('started_at', 'must not be after finished_at')
  }
  const row: StoredDeploy = {
    id: uuidv7(),
    environment: deploy.environment,
    name: deploy.name ?? '',
    url: deploy.url ?? null,
    started_at: started,
    finished_at: finished,
  }
  const key = { projectId: project.dsnId, version }
  await ctx.pg.transaction(async (pg) => {
    await writeRelease(pg, { ...key, at: now, change: {} })
    await addDeploy(pg, key, row)
  })
  return deployItem(row)
}
