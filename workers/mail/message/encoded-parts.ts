/**
 * The text or HTML part of a campaign, encoded once: only the values of a contact are encoded for
 * each email. A literal after a value begins a line of its own in the encoded text, so its bytes
 * never depend on the value.
 */
import { type Contact, fillSlot, type Part, type Slot } from '#schemas/mail/compiled-email.ts'
import { encodedBytesMax, QuotedPrintableWriter } from './quoted-printable.ts'

interface Literal {
  readonly bytes: Uint8Array
  readonly column: number
  readonly startsWithLf: boolean
  readonly endsWithCr: boolean
}

const softBreakBytes = 3
const lineEndBytes = 2

export class EncodedParts {
  readonly #segments: readonly (Literal | Slot)[]
  readonly #literalBytes: number

  constructor(parts: readonly Part[]) {
    const merged = mergeLiterals(parts)
    this.#segments = merged.map((part, at) =>
      typeof part === 'string' ? encodeLiteral(part, at === merged.length - 1) : part,
    )
    this.#literalBytes = this.#segments.reduce(
      (sum, one) => sum + softBreakBytes + ('bytes' in one ? one.bytes.length : 0),
      0,
    )
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0
  }

  /** The values of the contact, in the order of the slots. */
  fill(contact: Contact): string[] {
    const values: string[] = []
    for (const segment of this.#segments) {
      if (!('bytes' in segment)) values.push(fillSlot(segment, contact))
    }
    return values
  }

  bytesMax(values: readonly string[]): number {
    let bytes = this.#literalBytes
    for (const value of values) bytes += encodedBytesMax(value)
    return bytes
  }

  write(writer: QuotedPrintableWriter, values: readonly string[]): void {
    let next = 0
    // CR LF is one line break, also when its halves come from two places.
    let endedWithCr = false
    for (const segment of this.#segments) {
      if ('bytes' in segment) {
        writer.softBreak()
        const skipped = endedWithCr && segment.startsWithLf ? lineEndBytes : 0
        writer.append(segment.bytes.subarray(skipped), segment.column)
        endedWithCr = segment.endsWithCr
        continue
      }
      const value = values[next] ?? ''
      next += 1
      writer.writeOpen(endedWithCr && value.startsWith('\n') ? value.slice(1) : value)
      if (value !== '') endedWithCr = value.endsWith('\r')
    }
  }
}

function encodeLiteral(text: string, isLast: boolean): Literal {
  const writer = new QuotedPrintableWriter(Buffer.allocUnsafe(encodedBytesMax(text)))
  if (isLast) writer.write(text)
  else writer.writeOpen(text)
  return {
    bytes: Buffer.from(writer.bytes()),
    column: writer.column,
    startsWithLf: text.startsWith('\n'),
    endsWithCr: text.endsWith('\r'),
  }
}

function mergeLiterals(parts: readonly Part[]): Part[] {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string')
      merged[merged.length - 1] = last + part
    else if (part !== '') merged.push(part)
  }
  return merged
}
