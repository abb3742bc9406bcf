import { z } from 'zod'
import type { DeliveryItem, DeliveryListQuery } from '#schemas/rest/alerts/delivery.ts'
import type { ApiContext } from '../context.ts'
import { CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { found } from '../http/route.ts'
import { type DeliveryOwner, findOwner } from './delivery-owner-store.ts'
import { listDeliveries } from './delivery-store.ts'
import { deliveryItem } from './delivery-view.ts'

/** One page of the log of deliveries, newest first. */
export async function listPage(
  ctx: Pick<ApiContext, 'pg'>,
  owner: DeliveryOwner,
  query: z.infer<typeof DeliveryListQuery>,
): Promise<Page<DeliveryItem>> {
  const { cursor, limit, state } = query
  const beforeId = decodeCursor(cursor, z.tuple([CursorUuid]))?.[0]
  const { id: ownerId } = found(await findOwner(ctx.pg, owner))
  const list = { kind: owner.kind, ownerId, state, beforeId, limit: limit + 1 }
  const page = pageOfRows(await listDeliveries(ctx.pg, list), limit, ({ id }) => [id])
  return { items: page.items.map(deliveryItem), next_cursor: page.next_cursor }
}
