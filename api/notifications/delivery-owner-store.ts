/** A rule or a webhook, whose targets get deliveries. */
import type { Database } from '../database.ts'

export type DeliveryOwner =
  | { readonly kind: 'rule'; readonly projectNumber: number; readonly id: string }
  | { readonly kind: 'webhook'; readonly organizationId: string; readonly id: string }

export interface StoredOwner {
  readonly id: string
  readonly name: string
  readonly organization_id: string
  /** Null for webhooks. */
  readonly project_id: string | null
  readonly project_name: string | null
}

/** Column of targets and deliveries that holds the id of their owner. */
export const ownerColumn = { rule: 'rule_id', webhook: 'webhook_id' } as const

/** Locks the owner, so that its tests are counted one after the other. */
export async function lockOwner(
  client: Database,
  owner: DeliveryOwner,
): Promise<StoredOwner | undefined> {
  return findOwner(client, owner, 'for no key update of owner')
}

export async function findOwner(
  pg: Database,
  owner: DeliveryOwner,
  lock = '',
): Promise<StoredOwner | undefined> {
  const { rows } =
    owner.kind === 'rule'
      ? await pg.query<StoredOwner>(
          `select owner.id, owner.name, p.organization_id, p.id as project_id, p.name as project_name
             from alert_rules owner join projects p on p.dsn_id = owner.project_id
            where owner.id = $1 and owner.project_id = $2 ${lock}`,
          [owner.id, owner.projectNumber],
        )
      : await pg.query<StoredOwner>(
          `select owner.id, owner.label as name, owner.organization_id, null as project_id, null as project_name
             from webhooks owner where owner.id = $1 and owner.organization_id = $2 ${lock}`,
          [owner.id, owner.organizationId],
        )
  return rows[0]
}
