/**
 * What a client dropped on its own side, as it counted it itself (Sentry client reports). Each line becomes an outcome
 * `client_discard`; relays in between report what they dropped in lists of other names, which mean the same here.
 * Words that no SDK is known to use are folded, so that a client cannot fill the books with inventions.
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

const knownReasons: ReadonlySet<string> = new Set([
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

/** Lines of one report that are read; SDKs sum theirs up, and have less than a hundred kinds. */
const linesMax = 100
/** More than any client drops between two reports: a line that says more is wrong, not large. */
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

/** A line that is none is left out; only a payload that is no JSON object is refused. */
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
      reason: knownReasons.has(reason) ? reason : otherReason,
      category: knownCategories.has(category) ? (category as Category) : 'unknown',
      quantity,
    })
  }
  return { kind: 'report', discards }
}
