/**
 * The entry of a Piscina thread. The frames of a range come in, in shared memory or in one
 * transferred buffer; transferred buffers with rows and a short list of sums go out. Posting events
 * one by one would cost fifty times as much as digesting them.
 */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { discardBuffer } from '#platform/memory/discard-buffer.ts'
import { ownDeadLetters } from '../dead-letters/dead-letter.ts'
import type { SharedPlaces } from '../places/place-file.ts'
import { threadPlaces } from '../places/thread-places.ts'
import { digestRange } from './digest-range.ts'
import type { RangeFrame, RangeInput, RangeOutput } from './range.ts'
import { ownThreadId } from './thread-cpu.ts'

export interface DigestTask {
  /** Where the thread writes its id, so that the pool can read its CPU time. */
  readonly place: { readonly threadIds: Int32Array<SharedArrayBuffer>; readonly slot: number }
  readonly input: Omit<RangeInput, 'frames'>
  /** Views of memory that the threads share, or of `packed`. */
  readonly frames: readonly RangeFrame[]
  /** The frames that have no memory of their own, one after another. */
  readonly packed: Uint8Array<ArrayBuffer>
  readonly places: SharedPlaces | undefined
}

const threadId = ownThreadId()

export default function digestTask(task: DigestTask): RangeOutput {
  Atomics.store(task.place.threadIds, task.place.slot, threadId)
  const { input, frames } = task
  const output = digestRange({ ...input, frames }, threadPlaces(task.places))
  const deadLetters = ownDeadLetters(output.deadLetters)
  discardBuffer(task.packed.buffer)
  return move(new TransferredOutput({ ...output, deadLetters })) as unknown as RangeOutput
}

/** Piscina's protocol for a value with parts that are transferred instead of copied. */
class TransferredOutput {
  readonly #output: RangeOutput

  constructor(output: RangeOutput) {
    this.#output = output
  }

  get [transferableSymbol](): ArrayBuffer[] {
    const { eventRows, sessionRows, outcomeRows, acceptedRecords } = this.#output
    return [eventRows.buffer, sessionRows.buffer, outcomeRows.buffer, acceptedRecords.buffer]
  }

  get [valueSymbol](): RangeOutput {
    return this.#output
  }
}
