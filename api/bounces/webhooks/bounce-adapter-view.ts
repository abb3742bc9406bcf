import type { BounceAdapterItem } from '#schemas/rest/email/bounce-adapter.ts'
import type { StoredAdapter } from './bounce-adapter-store.ts'

/**
 * The API representation of an adapter. It leaves out the settings and the secret, which are never
 * shown again.
 */
export function bounceAdapterView(stored: StoredAdapter): BounceAdapterItem {
  return {
    id: stored.id,
    adapter: stored.adapter,
    label: stored.label,
    lastUsedAt: stored.lastUsedAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
  }
}
