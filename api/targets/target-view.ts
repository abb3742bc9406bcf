import type { AlertTargetItem } from '#schemas/rest/alerts/target.ts'
import type { StoredTarget } from './target-store.ts'

/** The state of a target, as rules and webhooks show it. */
export function targetState({ disabled_at, disabled_reason, open_until }: StoredTarget) {
  return {
    disabled_at: disabled_at?.toISOString() ?? null,
    disabled_reason,
    paused_until: open_until?.toISOString() ?? null,
  }
}

/** @param secret of a webhook that was just added. */
export function targetView(stored: StoredTarget, secret: string | undefined): AlertTargetItem {
  return {
    ...stored.shown,
    id: stored.id,
    type: stored.type,
    enabled: stored.disabled_at === null,
    ...targetState(stored),
    ...(secret === undefined ? {} : { secret }),
  } as AlertTargetItem
}
