/**
 * Rows of the table `outcomes` in RowBinary, with and without their SDKs. Plans and notes of ranges
 * keep the rows without them, in the layout of versions that do not know the column, and the SDKs
 * beside the rows in JSON: any version can undo what another one has planned.
 *
 *   project_id u64 · dsn_key_no u32 · component · hour u32 · outcome · reason · category
 *   · sdk (only in rows with SDKs) · quantity i64
 */
import assert from 'node:assert'

export interface OutcomeRowsInParts {
  readonly rows: Uint8Array
  /** One for each row; absent when all are empty. */
  readonly sdks?: readonly string[] | undefined
}

const projectAndKeyBytes = 8 + 4
const hourBytes = 4
const quantityBytes = 8
/** Outcome, reason, category. */
const namesAfterHour = 3

/** Takes the SDKs out of the rows. */
export function takeOutSdks(rows: Uint8Array): OutcomeRowsInParts {
  const bytes = bufferOf(rows)
  const pieces: Buffer[] = []
  const sdks: string[] = []
  let start = 0
  while (start < bytes.length) {
    const names = endOfNames(bytes, start)
    const { textStart, end } = stringAt(bytes, names)
    sdks.push(bytes.toString('utf8', textStart, end))
    pieces.push(bytes.subarray(start, names), bytes.subarray(end, end + quantityBytes))
    start = end + quantityBytes
  }
  assert(start === bytes.length)
  const without = Buffer.concat(pieces)
  return sdks.every((sdk) => sdk === '') ? { rows: without } : { rows: without, sdks }
}

/** Puts the SDKs back into rows; a row without one gets the empty text. */
export function putInSdks({ rows, sdks = [] }: OutcomeRowsInParts): Uint8Array<ArrayBuffer> {
  const bytes = bufferOf(rows)
  const pieces: Buffer[] = []
  let start = 0
  for (let index = 0; start < bytes.length; index += 1) {
    const names = endOfNames(bytes, start)
    const sdk = Buffer.from(sdks[index] ?? '')
    const end = names + quantityBytes
    pieces.push(bytes.subarray(start, names), lengthOf(sdk), sdk, bytes.subarray(names, end))
    start = end
  }
  assert(start === bytes.length)
  return new Uint8Array(Buffer.concat(pieces))
}

/** The position behind the category of the row at `start`. */
function endOfNames(bytes: Buffer, start: number): number {
  let at = stringAt(bytes, start + projectAndKeyBytes).end + hourBytes
  for (let name = 0; name < namesAfterHour; name += 1) at = stringAt(bytes, at).end
  return at
}

/** A string travels behind its length in bytes as LEB128. */
function stringAt(bytes: Buffer, start: number): { textStart: number; end: number } {
  let at = start
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]
    assert(byte !== undefined && shift <= 28)
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) return { textStart: at, end: at + length }
  }
}

function lengthOf(text: Buffer): Buffer {
  const bytes: number[] = []
  let left = text.length
  while (left >= 0x80) {
    bytes.push((left & 0x7f) | 0x80)
    left >>>= 7
  }
  return Buffer.from([...bytes, left])
}

function bufferOf(rows: Uint8Array): Buffer {
  return Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
}
