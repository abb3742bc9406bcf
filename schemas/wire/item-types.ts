/**
 * How each item type of the Sentry envelope protocol is handled, and the data category it counts
 * as. Types that are not listed are legal: they are skipped and counted as unsupported.
 */
import type { RecordKind } from '../bus/frame.ts'
import {
  checkInBytesMax,
  clientReportBytesMax,
  eventBytesMax,
  sessionItemBytesMax,
} from '../limits.ts'
import type { Category } from '../outcome.ts'

/** Kinds of records that cost no quota. Each is also the name of an item type. */
export type FreeKind = Exclude<RecordKind, 'event' | 'outcomes'>

/** `event`: charged and published. `free`: published. `drop`: counted as unsupported. */
export type ItemType =
  | { readonly handling: 'event'; readonly category: Category; readonly bytesMax: number }
  | {
      readonly handling: 'free'
      readonly kind: FreeKind
      readonly category: Category
      readonly bytesMax: number
    }
  | { readonly handling: 'drop'; readonly category: Category; readonly bytesMax: number }

const free = (kind: FreeKind, category: Category, bytesMax: number): ItemType => ({
  handling: 'free',
  kind,
  category,
  bytesMax,
})
const drop = (category: Category): ItemType => ({
  handling: 'drop',
  category,
  bytesMax: Number.POSITIVE_INFINITY,
})

const itemTypes: ReadonlyMap<string, ItemType> = new Map([
  ['event', { handling: 'event', category: 'error', bytesMax: eventBytesMax }],
  ['session', free('session', 'session', sessionItemBytesMax)],
  ['sessions', free('session', 'session', sessionItemBytesMax)],
  ['check_in', free('check_in', 'monitor', checkInBytesMax)],
  ['client_report', free('client_report', 'internal', clientReportBytesMax)],
  ['user_report', free('feedback', 'user_report_v2', eventBytesMax)],
  ['feedback', free('feedback', 'feedback', eventBytesMax)],
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

/** For a record on the bus, pass `header.item ?? kind`. */
export function itemTypeOf(type: string): ItemType {
  return itemTypes.get(type) ?? unknownType
}

/** The protocol's own types have bounded names; types that clients invent have not. */
export function isKnownItemType(type: string): boolean {
  return itemTypes.has(type)
}
