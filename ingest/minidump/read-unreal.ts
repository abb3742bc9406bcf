/**
 * Reads a crash report of the Unreal Engine: files one after the other, compressed as a whole. All
 * lengths are checked, and the number of files is bounded.
 *
 *   [ 'CR1' ] · directory name · file name · uncompressed bytes i32 · file count i32
 *   files: index i32 · name · bytes i32 · content
 *
 * A name is its length u32 and that many bytes, with zeros at the end. Without the mark `CR1`, the
 * number of files is in the last four bytes.
 */
export interface UnrealFile {
  readonly name: string
  readonly content: Buffer
}

const filesMax = 100
const nameBytesMax = 4_096

/** Undefined when the bytes are not such a report. */
export function readUnreal(bytes: Buffer): readonly UnrealFile[] | undefined {
  const hasMark = bytes.toString('latin1', 0, 3) === 'CR1'
  const reader = new Reader(bytes, hasMark ? 3 : 0)
  if (reader.name() === undefined || reader.name() === undefined) return undefined
  if (reader.number() === undefined) return undefined
  const inHeader = reader.number()
  if (inHeader === undefined || bytes.length < 4) return undefined
  const count = hasMark ? inHeader : bytes.readInt32LE(bytes.length - 4)
  if (count < 0 || filesMax < count) return undefined
  const files: UnrealFile[] = []
  for (let index = 0; index < count; index += 1) {
    if (reader.number() === undefined) return undefined
    const name = reader.name()
    const length = reader.number()
    const content = length === undefined ? undefined : reader.take(length)
    if (name === undefined || content === undefined) return undefined
    files.push({ name, content })
  }
  return files
}

class Reader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  number(): number | undefined {
    const at = this.#at
    if (this.#bytes.length < at + 4) return undefined
    this.#at += 4
    return this.#bytes.readInt32LE(at)
  }

  take(length: number): Buffer | undefined {
    if (length < 0 || this.#bytes.length < this.#at + length) return undefined
    const start = this.#at
    this.#at += length
    return this.#bytes.subarray(start, this.#at)
  }

  name(): string | undefined {
    const length = this.number()
    if (length === undefined || nameBytesMax < length) return undefined
    const bytes = this.take(length)
    if (bytes === undefined) return undefined
    const end = bytes.indexOf(0)
    return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
  }
}
