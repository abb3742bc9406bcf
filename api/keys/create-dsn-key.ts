import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { addDsnKey, type StoredDsnKey } from './dsn-key-store.ts'

export interface CreateDsnKey {
  readonly projectId: string
  /** The component that the key is for; null for none. */
  readonly label: string | null
  /** Events per minute; null for no limit. */
  readonly perMinute: number | null
}

export async function createDsnKey(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, label, perMinute }: CreateDsnKey,
): Promise<StoredDsnKey> {
  return ctx.pg.transaction(async (client) => {
    const key = await addDsnKey(client, { projectId, label, perMinute })
    await addAudit(client, actor, {
      action: 'dsn_key.created',
      subjectType: 'dsn_key',
      subjectId: key.id,
      details: { project_id: projectId, label },
    })
    return key
  })
}
