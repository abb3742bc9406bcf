/** Rows of `webhooks`. Each has exactly one row of `notification_targets`. */
import { type WebhookEvent, webhooksPerOrganizationMax } from '#schemas/rest/alerts/webhook.ts'
import type { Database } from '../database.ts'

export interface WebhookFields {
  readonly label: string
  readonly events: readonly WebhookEvent[]
  readonly enabled: boolean
}

export interface StoredWebhook extends WebhookFields {
  readonly id: string
  readonly created_at: Date
  readonly updated_at: Date
}

export interface WebhookName {
  readonly organizationId: string
  readonly id: string
}

const columns = 'id, label, events, enabled, created_at, updated_at'

/** In the order in which they were created. */
export async function listStoredWebhooks(
  pg: Database,
  organizationId: string,
): Promise<StoredWebhook[]> {
  const { rows } = await pg.query<StoredWebhook>(
    `select ${columns} from webhooks where organization_id = $1
     order by id limit ${webhooksPerOrganizationMax}`,
    [organizationId],
  )
  return rows
}

export async function findWebhook(
  pg: Database,
  { organizationId, id }: WebhookName,
): Promise<StoredWebhook | undefined> {
  const { rows } = await pg.query<StoredWebhook>(
    `select ${columns} from webhooks where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
  return rows[0]
}

/** Call within a transaction: concurrent changes of the webhook wait for it. */
export async function lockWebhook(
  client: Database,
  { organizationId, id }: WebhookName,
): Promise<StoredWebhook | undefined> {
  const { rows } = await client.query<StoredWebhook>(
    `select ${columns} from webhooks where organization_id = $1 and id = $2 for no key update`,
    [organizationId, id],
  )
  return rows[0]
}

/** Call within a transaction: the organization stays locked, so that the count is right. */
export async function countWebhooks(client: Database, organizationId: string): Promise<number> {
  await client.query('select from organizations where id = $1 for no key update', [organizationId])
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from webhooks where organization_id = $1',
    [organizationId],
  )
  return rows[0]?.count ?? 0
}

export async function addWebhook(
  client: Database,
  { organizationId, id, label, events, enabled }: WebhookFields & WebhookName,
): Promise<void> {
  await client.query(
    'insert into webhooks (id, organization_id, label, events, enabled) values ($1, $2, $3, $4, $5)',
    [id, organizationId, label, events, enabled],
  )
}

export async function setWebhook(
  client: Database,
  { organizationId, id, label, events, enabled }: WebhookFields & WebhookName,
): Promise<void> {
  await client.query(
    `update webhooks set label = $3, events = $4, enabled = $5, updated_at = now()
     where organization_id = $2 and id = $1`,
    [id, organizationId, label, events, enabled],
  )
}

/** False when the organization has no such webhook. */
export async function deleteStoredWebhook(
  client: Database,
  { organizationId, id }: WebhookName,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from webhooks where organization_id = $1 and id = $2',
    [organizationId, id],
  )
  return rowCount === 1
}
