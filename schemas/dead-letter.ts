/** Why a record or a whole frame is kept in `dead_letters` instead of being stored. */
import type { RejectReason } from './outcome.ts'

/**
 * `undigestible`: the digest failed on the record, or a store rejected its rows; the item is
 * counted as `rejected: undigestible`. `unreadable_frame`: the message on the bus is not a frame,
 * so its records are unknown.
 */
export const deadLetterReasons = ['undigestible', 'unreadable_frame'] as const
export type DeadLetterReason = (typeof deadLetterReasons)[number]
/** Reasons of single records, which can be retried. */
export type DeadRecordReason = Extract<DeadLetterReason, RejectReason>

/** Part of the header of a record that is published again. */
export interface RetryHeader {
  /** `dead_letters.id`; the commit of the record deletes that row. */
  readonly dead_letter: number
  /** The reject reason under which the item is counted; the digest subtracts that count. */
  readonly reason: DeadRecordReason
}
