/**
 * Sums items that were not stored by outcome and reason, for a metric. Reasons that clients invent
 * are summed as `other`, so that the metric has a bounded number of samples.
 */
import { type Outcome, rejectReasons } from '#schemas/outcome.ts'
import { isKnownItemType } from '#schemas/wire/item-types.ts'
import { discardReasons } from '../client-reports/parse-client-report.ts'
import type { FilterName } from '../filters/filter-event.ts'

export interface DroppedItems {
  readonly outcome: Exclude<Outcome, 'accepted'>
  readonly reason: string
  readonly quantity: number
}

const otherReason = 'other'
const quotaReasons: ReadonlySet<string> = new Set(['spike_limit', 'key_limit', 'quota_unavailable'])
const rejections: ReadonlySet<string> = new Set(rejectReasons)
const filters: Readonly<Record<FilterName, string>> = {
  releases: 'filtered:releases',
  error_messages: 'filtered:error_messages',
  browser_extensions: 'filtered:browser_extensions',
  localhost: 'filtered:localhost',
  web_crawlers: 'filtered:web_crawlers',
  legacy_browsers: 'filtered:legacy_browsers',
}
const filterReasons: ReadonlySet<string> = new Set(Object.values(filters))

const isKnown: Readonly<Record<DroppedItems['outcome'], (reason: string) => boolean>> = {
  over_quota: (reason) => quotaReasons.has(reason),
  rejected: (reason) => rejections.has(reason),
  duplicate: () => false,
  filtered: (reason) => filterReasons.has(reason),
  unsupported: (reason) => isKnownItemType(reason.slice(reason.indexOf(':') + 1)),
  client_discard: (reason) => discardReasons.has(reason),
}

export function countDropped(
  counts: readonly {
    readonly outcome: Outcome
    readonly reason: string
    readonly quantity: number
  }[],
): DroppedItems[] {
  const sums = new Map<string, DroppedItems>()
  for (const { outcome, reason: given, quantity } of counts) {
    // A retried dead letter subtracts what was counted when it was stored; a counter only grows.
    if (outcome === 'accepted' || quantity <= 0) continue
    const reason = given === '' || isKnown[outcome](given) ? given : otherReason
    const key = `${outcome} ${reason}`
    sums.set(key, { outcome, reason, quantity: (sums.get(key)?.quantity ?? 0) + quantity })
  }
  return [...sums.values()]
}
