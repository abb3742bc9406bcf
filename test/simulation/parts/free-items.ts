/**
 * The items of a world other than events. Each has a number that can be read back from every store,
 * so the check knows how often each item was counted.
 */
import { categories } from '#schemas/outcome.ts'
import type { Random } from '../../fixtures/random.ts'
import { postgresRefusesMark } from './marks.ts'

export const freeItemKinds = [
  'session',
  'sessions',
  'check_in',
  'client_report',
  'feedback',
] as const
export type FreeItemKind = (typeof freeItemKinds)[number]

export interface FreeItem {
  readonly projectId: number
  readonly kind: FreeItemKind
  readonly no: number
  /** Whether the stores refuse it. */
  readonly isRefused: boolean
}

/** An item that a store holds. */
export interface StoredItem {
  readonly projectId: number
  readonly kind: FreeItemKind
  readonly name: string
  readonly count: number
}

/** Number of sessions in each aggregate. */
export const sessionsPerSum = 3

/** Discard reasons of the protocol; each client report has one reason and one category. */
const discardReasons = [
  'before_send',
  'event_processor',
  'network_error',
  'queue_overflow',
  'ratelimit_backoff',
  'sample_rate',
  'send_error',
]
/** Number of client reports that differ from each other. */
export const freeItemsMax = discardReasons.length * categories.length

/** Its name in the stores. */
export function nameOf({ kind, no, isRefused }: Omit<FreeItem, 'projectId'>): string {
  switch (kind) {
    case 'session':
    case 'feedback':
      return (no + 1).toString(16).padStart(32, '0')
    case 'sessions':
      return `shop@${no}.0.0`
    case 'check_in':
      return isRefused ? `job-${no}-${postgresRefusesMark}` : `job-${no}`
    case 'client_report': {
      const { reason, category } = discardOf(no)
      return `${reason} ${category}`
    }
  }
}

export function payloadOf(item: FreeItem, sentAt: string): string {
  return JSON.stringify(contentOf(item, sentAt))
}

/** A few items for the requests of one envelope. */
export function pickItems(
  random: Random,
  { projectId, firstNo }: { readonly projectId: number; readonly firstNo: number },
): FreeItem[] {
  const count = random.pick([0, 0, 1, 2, 3])
  return Array.from({ length: count }, (_, index) => ({
    projectId,
    kind: random.pick(freeItemKinds),
    no: firstNo + index,
    isRefused: false,
  }))
}

function contentOf(item: FreeItem, sentAt: string): object {
  const { kind, no } = item
  const name = nameOf(item)
  switch (kind) {
    case 'session':
      return { sid: name, started: sentAt, status: 'exited', attrs: { release: 'shop@1' } }
    case 'sessions':
      return {
        aggregates: [{ started: sentAt, exited: sessionsPerSum }],
        attrs: { release: name },
      }
    case 'check_in':
      return { monitor_slug: name, status: 'ok' }
    case 'client_report':
      return { discarded_events: [{ ...discardOf(no), quantity: 1 }] }
    case 'feedback':
      return { event_id: name, contexts: { feedback: { message: 'It does not work.' } } }
  }
}

function discardOf(no: number) {
  return {
    reason: discardReasons[no % discardReasons.length] ?? '',
    category: categories[Math.floor(no / discardReasons.length) % categories.length] ?? '',
  }
}
