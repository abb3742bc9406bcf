import type { Tone } from '../../../../design/content/badge.tsx'
import type { Item } from '../../../../http/use-pages.ts'

type State = Item<'GET /api/v1/admin/email/campaigns/{campaign_id}/deliveries'>['state']

export const deliveryStates: Readonly<Record<State, readonly [string, Tone]>> = {
  queued: ['Waiting', 'neutral'],
  claimed: ['Being sent', 'accent'],
  handed_over: ['Being sent', 'accent'],
  sent: ['Sent', 'success'],
  failed: ['Failed', 'danger'],
  skipped: ['Skipped', 'neutral'],
  uncertain: ['Uncertain', 'warning'],
  cancelled: ['Cancelled', 'neutral'],
}
