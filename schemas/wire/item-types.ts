/**
 * What becomes of each item type of the Sentry envelope protocol, and the data category that it counts
 * under. A type that is not listed is legal: it is skipped and counted as unsupported.
 */
import {
  checkInBytesMax,
  clientReportBytesMax,
  eventBytesMax,
  sessionItemBytesMax,
} from '../limits.ts'
import type { Category } from '../outcome.ts'

export interface ItemType {
  readonly category: Category
  /** `record`: its bytes go onto the bus. `count`: taken, counted, not stored. `drop`: unsupported. */
  readonly handling: 'record' | 'count' | 'drop'
  /** Longest payload of a type that we take. */
  readonly bytesMax: number
}

const take = (category: Category, bytesMax: number): ItemType => ({
  category,
  handling: 'count',
  bytesMax,
})
const drop = (category: Category): ItemType => ({
  category,
  handling: 'drop',
  bytesMax: Number.POSITIVE_INFINITY,
})

const itemTypes: ReadonlyMap<string, ItemType> = new Map([
  ['event', { category: 'error', handling: 'record', bytesMax: eventBytesMax }],
  ['session', take('session', sessionItemBytesMax)],
  ['sessions', take('session', sessionItemBytesMax)],
  ['check_in', take('monitor', checkInBytesMax)],
  ['client_report', take('internal', clientReportBytesMax)],
  ['user_report', take('user_report_v2', eventBytesMax)],
  ['feedback', take('feedback', eventBytesMax)],
  ['transaction', drop('transaction')],
  ['attachment', drop('attachment')],
  ['log', drop('log_item')],
  ['otel_log', drop('log_item')],
  ['span', drop('span')],
  ['otel_span', drop('span')],
  ['trace_metric', drop('trace_metric')],
  ['profile', drop('profile')],
  ['profile_chunk', drop('profile_chunk')],
  ['replay_event', drop('replay')],
  ['replay_recording', drop('replay')],
  ['replay_video', drop('replay')],
  ['statsd', drop('metric_bucket')],
  ['metric_meta', drop('metric_bucket')],
  ['metric_buckets', drop('metric_bucket')],
  ['metric', drop('metric_bucket')],
  ['raw_security', drop('security')],
  ['nel', drop('security')],
  ['form_data', drop('unknown')],
  ['unreal_report', drop('unknown')],
  ['integration', drop('unknown')],
])

const unknownType = drop('unknown')

export function itemTypeOf(type: string): ItemType {
  return itemTypes.get(type) ?? unknownType
}

/** Types of the protocol have bounded names; what clients invent has not. */
export function isKnownItemType(type: string): boolean {
  return itemTypes.has(type)
}
