/**
 * The id of a record that has none of its own, so that a request which is repeated is found out: a hash of the item and of what
 * its envelope says of itself. Equal items within one envelope are told apart by their number, equal items
 * of two envelopes by the envelopes' `event_id` and `sent_at`.
 */
import { createHash, type Hash } from 'node:crypto'
import type { EventId } from '#schemas/ids.ts'

export interface FreeItem {
  readonly type: string
  /** The payload is `bytes[start, end)`. */
  readonly start: number
  readonly end: number
}

/** What an envelope says of itself. */
export interface EnvelopeFacts {
  readonly envelopeId: EventId | undefined
  readonly sentAt: string | undefined
}

export interface SentEnvelope extends EnvelopeFacts {
  /** Who sent it, if known: it stands for an envelope that says nothing of itself. */
  readonly address: Uint8Array | undefined
}

/** The ids of the free items of one envelope, in their order. */
export class FreeRecordIds {
  readonly #envelope: SentEnvelope
  readonly #bytes: Buffer
  readonly #newId: () => Uint8Array
  /** Of each id as it was before equal items were told apart. */
  readonly #counts = new Map<string, number>()

  /** @param newId 16 bytes by chance. */
  constructor(envelope: SentEnvelope, bytes: Buffer, newId: () => Uint8Array) {
    this.#envelope = envelope
    this.#bytes = bytes
    this.#newId = newId
  }

  /** 16 bytes. */
  next(item: FreeItem): Uint8Array {
    // Sums of sessions name nobody: two processes of one program may well send the same ones in the same minute, and
    // their envelopes are often empty. To take them for one would lose sessions, and nobody is known to repeat them.
    if (!saysWhatItIs(this.#envelope) && item.type === 'sessions') return this.#newId()
    const first = this.#hashOf(item).digest().subarray(0, 16)
    const label = first.toString('hex')
    const equalBefore = this.#counts.get(label) ?? 0
    this.#counts.set(label, equalBefore + 1)
    if (equalBefore === 0) return first
    return createHash('sha256').update(first).update(`${equalBefore}`).digest().subarray(0, 16)
  }

  #hashOf({ type, start, end }: FreeItem): Hash {
    const { envelopeId = '', sentAt = '', address } = this.#envelope
    const hash = createHash('sha256').update(`${type}\n${envelopeId}\n${sentAt}\n`)
    if (!saysWhatItIs(this.#envelope) && address !== undefined) hash.update(address)
    return hash.update(this.#bytes.subarray(start, end))
  }
}

/** Few envelopes of one sender have the same header, unless it says nothing. */
export function saysWhatItIs({ envelopeId, sentAt }: EnvelopeFacts): boolean {
  return envelopeId !== undefined || sentAt !== undefined
}
