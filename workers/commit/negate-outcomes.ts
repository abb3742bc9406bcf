/**
 * Returns rows of the table `outcomes` (RowBinary) with negated quantities: inserted after the
 * original rows, they cancel them in every sum.
 */
import assert from 'node:assert'

/**
 * @param rows as `OutcomeTally` writes them: fixed-size fields, strings after their length, and the
 * quantity last.
 */
export function negateOutcomes(rows: Uint8Array): Buffer {
  const negated = Buffer.from(rows)
  let at = 0
  const skipString = () => {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = negated[at++]
      assert(byte !== undefined && shift <= 28)
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    at += length
  }
  while (at < negated.length) {
    at += projectAndKeyBytes
    skipString()
    at += hourBytes
    for (let column = 0; column < namesAfterHour; column += 1) skipString()
    negated.writeBigInt64LE(-negated.readBigInt64LE(at), at)
    at += 8
  }
  assert(at === negated.length)
  return negated
}

const projectAndKeyBytes = 8 + 4
const hourBytes = 4
/** Outcome, reason, category, SDK. */
const namesAfterHour = 4
