/** Rows of `notification_targets`, of rules and of webhooks. */
import type { Database } from '../database.ts'

export interface StoredTarget {
  readonly id: string
  readonly rule_id: string | null
  readonly webhook_id: string | null
  readonly type: string
  readonly shown: Record<string, unknown>
  readonly sealed: Buffer | null
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly open_until: Date | null
}

export interface TargetOwner {
  readonly organizationId: string
  /** Exactly one of them. */
  readonly ruleId?: string
  readonly webhookId?: string
}

const columns = `id, rule_id, webhook_id, type, shown, sealed_settings as sealed, disabled_at,
  disabled_reason, open_until`

/** In the order in which they were added. */
export async function listTargets(
  pg: Database,
  owner: { readonly ruleIds: readonly string[] } | { readonly webhookIds: readonly string[] },
): Promise<StoredTarget[]> {
  const [column, ids] =
    'ruleIds' in owner ? ['rule_id', owner.ruleIds] : ['webhook_id', owner.webhookIds]
  const { rows } = await pg.query<StoredTarget>(
    `select ${columns} from notification_targets where ${column} = any($1::uuid[]) order by id`,
    [ids],
  )
  return rows
}

export async function addTarget(
  pg: Database,
  owner: TargetOwner,
  target: Pick<StoredTarget, 'id' | 'type' | 'shown' | 'sealed'> & { readonly isEnabled: boolean },
): Promise<void> {
  await pg.query(
    `insert into notification_targets (id, organization_id, rule_id, webhook_id, type, shown, sealed_settings,
       disabled_at, disabled_reason)
     values ($1, $2, $3, $4, $5, $6, $7, case when $8 then null else now() end,
       case when $8 then null else '${disabledByPerson}' end)`,
    [
      target.id,
      owner.organizationId,
      owner.ruleId ?? null,
      owner.webhookId ?? null,
      target.type,
      JSON.stringify(target.shown),
      target.sealed,
      target.isEnabled,
    ],
  )
}

export async function setTargetSettings(
  pg: Database,
  target: Pick<StoredTarget, 'id' | 'shown' | 'sealed'>,
): Promise<void> {
  await pg.query('update notification_targets set shown = $2, sealed_settings = $3 where id = $1', [
    target.id,
    JSON.stringify(target.shown),
    target.sealed,
  ])
}

export const disabledByPerson = 'A person disabled it.'

/** Enabling also closes the circuit breaker: the next delivery is tried at once. */
export async function setTargetEnabled(
  pg: Database,
  { id, isEnabled }: { readonly id: string; readonly isEnabled: boolean },
): Promise<void> {
  await pg.query(
    isEnabled
      ? `update notification_targets set disabled_at = null, disabled_reason = null, failures = 0,
           open_until = null where id = $1`
      : `update notification_targets set disabled_at = coalesce(disabled_at, now()),
           disabled_reason = coalesce(disabled_reason, '${disabledByPerson}') where id = $1`,
    [id],
  )
}

export async function deleteTargets(pg: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await pg.query('delete from notification_targets where id = any($1::uuid[])', [ids])
}
