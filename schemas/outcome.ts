/**
 * The fate of an item. Every received item ends in exactly one outcome, so that for each project
 * items received = sum of outcomes (accounting).
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

/** Why an item was rejected. `unsupported` uses `unsupported:<type>` instead. */
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
  'invalid_attachment',
  'storage_unavailable',
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

/** Data category of an item, as named by the protocol for rate limits and outcomes. */
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

/** The number of items of one project and key that had the same outcome within an hour. */
export interface OutcomeCount {
  readonly outcome: Outcome
  /** Empty if the outcome needs no reason. */
  readonly reason: string
  readonly category: Category
  readonly quantity: number
}

/** Item types in reasons are cut to this length. */
const itemTypeCharactersMax = 40

/** `unsupported:<type>`, with the type cut and limited to safe characters. */
export function unsupportedReason(itemType: string): string {
  const safe = itemType.slice(0, itemTypeCharactersMax).replace(/[^A-Za-z0-9_.:-]/g, '_')
  return `unsupported:${safe === '' ? 'unknown' : safe}`
}
