/**
 * Scrubs, normalises and filters one event by the rules of its project. Digesting a range and
 * trying settings (workers/requests/try-settings.ts) both decide here.
 */

import type { RawEvent } from '../normalize/draft.ts'
import { type Normalized, normalizeEvent } from '../normalize/normalize-event.ts'
import type { EventFilters, FilterMatch } from './filter-event.ts'

export type EventFate = Normalized | { readonly kind: 'filtered'; readonly filter: FilterMatch }

export function judgeEvent(raw: RawEvent, filters: EventFilters): EventFate {
  const normalized = normalizeEvent(raw)
  if (normalized.kind !== 'event') return normalized
  const filter = filters.match(normalized.event)
  return filter === undefined ? normalized : { kind: 'filtered', filter }
}
