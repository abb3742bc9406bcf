import type { DeliveryItem, DeliveryTarget } from '#schemas/rest/alerts/delivery.ts'
import type { StoredDelivery, StoredTarget } from './delivery-store.ts'

export function deliveryItem(delivery: StoredDelivery): DeliveryItem {
  const { id, state, is_test, attempts, payload, created_at, target } = delivery
  return {
    id,
    at: created_at.toISOString(),
    target: deliveryTarget(target),
    state,
    is_test,
    attempts,
    next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null,
    finished_at: delivery.finished_at?.toISOString() ?? null,
    payload,
  }
}

function deliveryTarget(target: StoredTarget): DeliveryTarget {
  const { id, type, shown, disabled_at, disabled_reason, open_until } = target
  return {
    id,
    type,
    shown,
    disabled_at: disabled_at?.toISOString() ?? null,
    disabled_reason,
    paused_until: open_until?.toISOString() ?? null,
  }
}
