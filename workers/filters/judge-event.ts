/**
 * Scrubs, normalises and filters one event by the rules of its project. Digesting a range and
 * trying settings (workers/requests/try-settings.ts) both decide here.
 */

import type { ProjectRules } from '../digest/project-rules.ts'
import type { RawEvent } from '../normalize/draft.ts'
import { type Normalized, normalizeEvent } from '../normalize/normalize-event.ts'
import type { FilterMatch } from './filter-event.ts'

export type EventFate = Normalized | { readonly kind: 'filtered'; readonly filter: FilterMatch }

export function judgeEvent(
  { address, ...raw }: Omit<RawEvent, 'scrub'>,
  rules: Pick<ProjectRules, 'scrub' | 'removesAddresses' | 'filters'>,
): EventFate {
  const normalized = normalizeEvent({
    ...raw,
    ...(address === undefined || rules.removesAddresses ? {} : { address }),
    scrub: rules.scrub,
  })
  if (normalized.kind !== 'event') return normalized
  const filter = rules.filters.match(normalized.event)
  return filter === undefined ? normalized : { kind: 'filtered', filter }
}
