/**
 * The fate of an item. Every item received ends in exactly one outcome, so that for each project
 * items received = sum of outcomes (the books).
 */
export const outcomes = [
  'accepted',
  'over_quota',
  'rejected',
  'duplicate',
  'filtered',
  'unsupported',
  'client_discard',
] as const
export type Outcome = (typeof outcomes)[number]

/** Why an item was rejected. `unsupported` carries `unsupported:<type>` instead. */
export const rejectReasons = [
  'malformed_envelope',
  'invalid_json',
  'invalid_event',
  'invalid_check_in',
  'invalid_feedback',
  'invalid_session',
  'invalid_monitor_config',
  'too_large',
  'too_deep',
  'too_many_items',
  'bad_encoding',
  'origin_not_allowed',
  'undigestible',
  // Decided by the commit (workers/monitors/refused-check-in.ts).
  'check_in_rate',
  'check_in_id_in_use',
  'check_in_already_finished',
  'too_many_runs',
  'too_many_environments',
  'too_many_monitors',
  'monitor_deleted',
] as const
export type RejectReason = (typeof rejectReasons)[number]

/** Data category of an item, in the protocol's words (rate limits and outcomes share them). */
export const categories = [
  'error',
  'default',
  'transaction',
  'session',
  'attachment',
  'monitor',
  'internal',
  'feedback',
  'user_report_v2',
  'span',
  'log_item',
  'trace_metric',
  'profile',
  'profile_chunk',
  'replay',
  'metric_bucket',
  'security',
  'unknown',
] as const
export type Category = (typeof categories)[number]

/** One line of the books: so many items of one project and key met the same fate within an hour. */
export interface OutcomeCount {
  readonly outcome: Outcome
  /** Empty where the outcome says it all. */
  readonly reason: string
  readonly category: Category
  readonly quantity: number
}

/** Longest item type that is kept in a reason; the rest is cut. */
const itemTypeCharactersMax = 40

/**
 * `unsupported:<type>` with the type cut to a safe length and alphabet (ingest-api: Envelope
 * items).
 */
export function unsupportedReason(itemType: string): string {
  const safe = itemType.slice(0, itemTypeCharactersMax).replace(/[^A-Za-z0-9_.:-]/g, '_')
  return `unsupported:${safe === '' ? 'unknown' : safe}`
}
