import type { DsnKeyChange } from '#schemas/rest/dsn-key.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { changeProjectKey, type StoredDsnKey } from './dsn-key-store.ts'

export interface UpdateDsnKey {
  readonly projectId: string
  readonly id: string
  readonly change: DsnKeyChange
}

/** Changes the fields that are given. Ingest refuses a disabled key at once. */
export async function updateDsnKey(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, id, change }: UpdateDsnKey,
): Promise<StoredDsnKey> {
  return ctx.pg.transaction(async (client) => {
    const key = found(await changeProjectKey(client, { projectId, id }, change))
    await addAudit(client, actor, {
      action: 'dsn_key.changed',
      subjectType: 'dsn_key',
      subjectId: id,
      details: { project_id: projectId, ...change },
    })
    return key
  })
}
