/**
 * Ids of records that have none of their own, so that a repeated request is recognised: a hash of
 * the item and of its envelope's headers. Equal items within an envelope are distinguished by their
 * position, equal items of two envelopes by the envelopes' `event_id` and `sent_at`.
 */
import { createHash, type Hash } from 'node:crypto'
import type { EventId } from '#schemas/ids.ts'

export interface FreeItem {
  readonly type: string
  /** The payload is `bytes[start, end)`. */
  readonly start: number
  readonly end: number
}

/** The headers that identify an envelope. */
export interface EnvelopeFacts {
  readonly envelopeId: EventId | undefined
  readonly sentAt: string | undefined
}

export interface SentEnvelope extends EnvelopeFacts {
  /**
   * Address of the sender, if known. Part of the hash for an envelope without identifying headers.
   */
  readonly address: Uint8Array | undefined
}

/** The ids of the free items of one envelope, in their order. */
export class FreeRecordIds {
  readonly #envelope: SentEnvelope
  readonly #bytes: Buffer
  readonly #newId: () => Uint8Array
  /** Number of items by their hash. */
  readonly #counts = new Map<string, number>()

  /** @param newId returns 16 random bytes. */
  constructor(envelope: SentEnvelope, bytes: Buffer, newId: () => Uint8Array) {
    this.#envelope = envelope
    this.#bytes = bytes
    this.#newId = newId
  }

  /** Returns 16 bytes. */
  next(item: FreeItem): Uint8Array {
    // Session aggregates identify no user: two processes of one program may send equal ones in the
    // same minute, often in envelopes without headers. Treating them as duplicates would lose
    // sessions, and no client is known to repeat them.
    if (!saysWhatItIs(this.#envelope) && item.type === 'sessions') return this.#newId()
    const first = this.#hashOf(item).digest().subarray(0, 16)
    const label = first.toString('hex')
    const equalBefore = this.#counts.get(label) ?? 0
    this.#counts.set(label, equalBefore + 1)
    // mutant: id-of-first-equal-item
    if (equalBefore === 0) return first
    return createHash('sha256').update(first).update(`${equalBefore}`).digest().subarray(0, 16)
  }

  #hashOf({ type, start, end }: FreeItem): Hash {
    const { envelopeId = '', sentAt = '', address } = this.#envelope
    const hash = createHash('sha256').update(`${type}\n${envelopeId}\n${sentAt}\n`)
    if (!saysWhatItIs(this.#envelope) && address !== undefined) hash.update(address)
    // mutant: hash-envelope
    return hash.update(this.#bytes.subarray(start, end))
  }
}

/** Few envelopes of one sender have equal headers, unless they have none. */
export function saysWhatItIs({ envelopeId, sentAt }: EnvelopeFacts): boolean {
  return envelopeId !== undefined || sentAt !== undefined
}
