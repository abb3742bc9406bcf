/**
 * Parses client reports: the items that a client discarded itself, with reasons and quantities
 * (Sentry client reports). Each line becomes an outcome `client_discard`. Relays report items they
 * dropped in lists with other names, which are treated alike. Unknown words are replaced by one, so
 * that a client cannot fill the outcome counts with invented names.
 */
import { z } from 'zod'
import { type Category, categories, type RejectReason } from '#schemas/outcome.ts'
import { readJsonObject } from '#schemas/wire/read-json.ts'

export interface ClientDiscard {
  readonly reason: string
  readonly category: Category
  readonly quantity: number
}

export type ClientReport =
  | { readonly kind: 'report'; readonly discards: readonly ClientDiscard[] }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }

export const discardReasons: ReadonlySet<string> = new Set([
  'backpressure',
  'before_send',
  'buffer_overflow',
  'cache_overflow',
  'event_processor',
  'ignored',
  'insufficient_data',
  'internal_sdk_error',
  'invalid',
  'network_error',
  'no_parent_span',
  'queue_overflow',
  'ratelimit_backoff',
  'sample_rate',
  'send_error',
])
const otherReason = 'other'

/** Lines read of one report. SDKs sum up and have fewer than a hundred kinds. */
const linesMax = 100
/** Quantity above which a line is invalid: no client discards more between two reports. */
const quantityMax = 1_000_000_000

const Lines = z.array(z.unknown()).catch([])
const Report = z.object({
  discarded_events: Lines,
  rate_limited_events: Lines,
  filtered_events: Lines,
  filtered_sampling_events: Lines,
})
const Line = z.object({
  reason: z.string(),
  category: z.string(),
  quantity: z.number().positive(),
})

const knownCategories: ReadonlySet<string> = new Set(categories)

/** An invalid line is left out; only a payload that is no JSON object is rejected. */
export function parseClientReport(payload: Uint8Array): ClientReport {
  const fields = readJsonObject(payload)
  if (fields === undefined) return { kind: 'rejected', reason: 'invalid_json' }
  const report = Report.parse(fields)
  const lines = [
    ...report.discarded_events,
    ...report.rate_limited_events,
    ...report.filtered_events,
    ...report.filtered_sampling_events,
  ]
  const discards: ClientDiscard[] = []
  for (const each of lines.slice(0, linesMax)) {
    const line = Line.safeParse(each)
    if (!line.success) continue
    const quantity = Math.min(quantityMax, Math.floor(line.data.quantity))
    if (quantity === 0) continue
    const { reason, category } = line.data
    discards.push({
      reason: discardReasons.has(reason) ? reason : otherReason,
      category: knownCategories.has(category) ? (category as Category) : 'unknown',
      quantity,
    })
  }
  return { kind: 'report', discards }
}
