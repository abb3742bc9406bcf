import type { RateWindow } from '../../rate-limits/rate-window-store.ts'

/** Rate limits of signups (email-api: Limits). The organization's window comes first. */
export function signupWindows(
  organizationId: string,
  visitor: string | undefined,
): [organization: RateWindow, ...RateWindow[]] {
  const organization = {
    bucket: `signups:${organizationId}`,
    hitsMax: 600,
    windowMs: 3_600_000,
  }
  if (visitor === undefined) return [organization]
  const bucket = `signup:${organizationId}:${visitor}`
  return [organization, { bucket, hitsMax: 5, windowMs: 600_000 }]
}
