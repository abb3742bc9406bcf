import type { StoredDelivery } from '../../../notifications/delivery-store.ts'

/** What a test prints of each target: the log of deliveries has the result a moment later. */
export function testRow({ id, target, state }: StoredDelivery) {
  return { delivery: id, target: target.id, type: target.type, state }
}
