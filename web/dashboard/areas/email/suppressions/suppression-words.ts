import type { Tone } from '../../../design/content/badge.tsx'
import type { Item } from '../../../http/use-pages.ts'

export const suppressionList = 'GET /api/v1/admin/email/suppressions'
export type Suppression = Item<typeof suppressionList>
export type SuppressionCause = Suppression['cause']

export const suppressionCauses: Readonly<Record<SuppressionCause, string>> = {
  hard: 'Hard bounce',
  soft_run: 'Soft bounces',
  complaint: 'Complaint',
  manual: 'Manual',
}

export const causeTones: Readonly<Record<SuppressionCause, Tone>> = {
  hard: 'danger',
  soft_run: 'warning',
  complaint: 'purple',
  manual: 'neutral',
}

/** Reads that change when an address is suppressed or lifted. */
export const changedBySuppressions = [
  suppressionList,
  'GET /api/v1/admin/email/contacts',
  'GET /api/v1/admin/email/contacts/numbers',
  'GET /api/v1/admin/email/contacts/{contact_id}',
] as const
