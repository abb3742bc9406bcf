import type { RateWindow } from '../rate-limits/rate-window-store.ts'

/** 600 sends an hour for each organization (email-api: Limits). */
export function sendWindow(organizationId: string): RateWindow {
  return { bucket: `sends:${organizationId}`, hitsMax: 600, windowMs: 3_600_000 }
}
