/** Deliveries and targets of a rule or webhook, for the API. */
import { v7 as uuidv7 } from 'uuid'
import type { DeliveryItem } from '#schemas/rest/alerts/delivery.ts'
import type { Database } from '../database.ts'
import { hasJobs } from '../jobs/has-jobs.ts'
import { ownerColumn } from './delivery-owner-store.ts'

export interface StoredTarget {
  readonly id: string
  readonly type: string
  readonly shown: Record<string, unknown>
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly open_until: Date | null
}

export interface StoredDelivery {
  readonly id: string
  readonly state: DeliveryItem['state']
  readonly is_test: boolean
  readonly attempts: DeliveryItem['attempts']
  readonly payload: Record<string, unknown>
  readonly created_at: Date
  readonly next_attempt_at: Date | null
  readonly finished_at: Date | null
  readonly target: StoredTarget
}

type OwnerKind = keyof typeof ownerColumn

export interface DeliveryList {
  readonly kind: OwnerKind
  readonly ownerId: string
  readonly state: DeliveryItem['state'] | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

const targetColumns = 'id, type, shown, disabled_at, disabled_reason, open_until'
const deliveryColumns =
  'd.id, d.state, d.is_test, d.attempts, d.payload, d.created_at, d.next_attempt_at, d.finished_at, d.target_id'
/** Of each target; a rule has at most ten. */
const testsCountedMax = 200

interface DeliveryRow extends Omit<StoredDelivery, 'target'> {
  readonly target_id: string
}

/** Newest first. */
export async function listDeliveries(pg: Database, list: DeliveryList): Promise<StoredDelivery[]> {
  const { kind, ownerId, state, beforeId, limit } = list
  // One of three words: a literal, so that Postgres uses the index of those that are not delivered.
  const ofState = state === undefined ? '' : `and d.state = '${state}'`
  const { rows } = await pg.query<DeliveryRow>(
    `select ${deliveryColumns} from notification_deliveries d
      where d.${ownerColumn[kind]} = $1 and ($2::uuid is null or d.id < $2) ${ofState}
      order by d.id desc limit $3`,
    [ownerId, beforeId ?? null, limit],
  )
  return withTargets(rows, await listTargets(pg, { kind, ownerId }))
}

export async function listTargets(
  pg: Database,
  { kind, ownerId }: { readonly kind: OwnerKind; readonly ownerId: string },
): Promise<StoredTarget[]> {
  const { rows } = await pg.query<StoredTarget>(
    `select ${targetColumns} from notification_targets where ${ownerColumn[kind]} = $1 order by created_at, id`,
    [ownerId],
  )
  return rows
}

/** A delivery whose target was deleted a moment ago is left out. */
function withTargets(
  rows: readonly DeliveryRow[],
  targets: readonly StoredTarget[],
): StoredDelivery[] {
  const byId = new Map(targets.map((target) => [target.id, target]))
  return rows.flatMap(({ target_id, ...delivery }) => {
    const target = byId.get(target_id)
    return target === undefined ? [] : [{ ...delivery, target }]
  })
}

export interface DeliveryOfOwner {
  readonly kind: OwnerKind
  readonly ownerId: string
  readonly deliveryId: string
}

/**
 * Makes a delivery due at once, with a new schedule of retries and the same id. Undefined if the
 * owner has no such delivery.
 */
export async function replay(
  client: Database,
  { kind, ownerId, deliveryId }: DeliveryOfOwner,
  now: Date,
): Promise<StoredDelivery | undefined> {
  const { rows } = await client.query<DeliveryRow>(
    `update notification_deliveries d set state = 'pending', attempt_count = 0, replayed_at = $3, next_attempt_at = $3,
       finished_at = null
      where d.id = $1 and d.${ownerColumn[kind]} = $2 returning ${deliveryColumns}`,
    [deliveryId, ownerId, now],
  )
  return withTargets(rows, await listTargets(client, { kind, ownerId }))[0]
}

/** The target of a delivery, locked before the delivery itself, as workers do. */
export async function lockTargetOf(
  client: Database,
  { kind, ownerId, deliveryId }: DeliveryOfOwner,
): Promise<StoredTarget | undefined> {
  const { rows } = await client.query<StoredTarget>(
    `select ${targetColumns} from notification_targets
      where id = (select target_id from notification_deliveries where id = $1 and ${ownerColumn[kind]} = $2)
      for no key update`,
    [deliveryId, ownerId],
  )
  return rows[0]
}

/** Lets the next delivery be attempted although the circuit breaker is open. */
export async function closeBreaker(client: Database, targetIds: readonly string[]): Promise<void> {
  await client.query(
    'update notification_targets set open_until = null where id = any($1) and open_until is not null',
    [targetIds],
  )
}

export interface TestDelivery {
  readonly kind: OwnerKind
  readonly ownerId: string
  readonly organizationId: string
  readonly target: StoredTarget
  readonly payload: object
  readonly now: Date
}

export async function addTestDelivery(
  client: Database,
  { kind, ownerId, organizationId, target, payload, now }: TestDelivery,
): Promise<StoredDelivery> {
  const { rows } = await client.query<DeliveryRow>(
    `insert into notification_deliveries as d
       (id, organization_id, target_id, ${ownerColumn[kind]}, payload, is_test, created_at, next_attempt_at)
     values ($1, $2, $3, $4, $5, true, $6, $6) returning ${deliveryColumns}`,
    [uuidv7(), organizationId, target.id, ownerId, JSON.stringify(payload), now],
  )
  return withTargets(rows, [target])[0]!
}

/** Test deliveries since then, among the last ones of the owner. */
export async function countTests(
  client: Database,
  {
    kind,
    ownerId,
    since,
  }: { readonly kind: OwnerKind; readonly ownerId: string; readonly since: Date },
): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (
       select is_test, created_at from notification_deliveries where ${ownerColumn[kind]} = $1
        order by id desc limit ${testsCountedMax}
     ) as last where is_test and created_at > $2`,
    [ownerId, since],
  )
  return rows[0]!.count
}

/** Enqueues the job that sends to each target. */
export async function enqueueDeliveries(
  client: Database,
  targetIds: readonly string[],
): Promise<void> {
  if (!(await hasJobs(client))) return
  for (const id of targetIds) {
    await client.query(
      `select graphile_worker.add_job('deliver', json_build_object('target_id', $1::text), job_key := 'deliver:' || $1)`,
      [id],
    )
  }
}
