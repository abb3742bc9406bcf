import type { ProjectId } from '#schemas/ids.ts'

/** One row of `project_id UInt64, id UUID, second UInt32`, valid until the next one is visited. */
export interface IdRow {
  readonly projectId: ProjectId
  /** The id as four big-endian words. */
  readonly w0: number
  readonly w1: number
  readonly w2: number
  readonly w3: number
  /** The id as 32 hex digits. */
  readonly hex: string
  readonly second: number
}

const rowBytes = 28

/** Decodes RowBinary while it streams in; holds at most one chunk and a part of a row. */
export async function forEachIdRow(
  stream: AsyncIterable<unknown>,
  visit: (row: IdRow) => void,
): Promise<void> {
  const row = new RowCursor()
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new Error('a chunk of rows is not bytes')
    row.bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    row.at = 0
    while (row.at + rowBytes <= row.bytes.length) {
      visit(row)
      row.at += rowBytes
    }
    rest = row.bytes.subarray(row.at)
  }
  if (rest.length > 0) throw new Error('the rows end within a row')
}

/** Reads in place, without an object for each of millions of rows. */
class RowCursor implements IdRow {
  bytes: Buffer = Buffer.alloc(0)
  at = 0

  get projectId(): ProjectId {
    const { bytes, at } = this
    return (bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 0x1_0000_0000) as ProjectId
  }

  // A UUID is two halves, each little endian.
  get w0(): number {
    return this.bytes.readInt32LE(this.at + 12)
  }

  get w1(): number {
    return this.bytes.readInt32LE(this.at + 8)
  }

  get w2(): number {
    return this.bytes.readInt32LE(this.at + 20)
  }

  get w3(): number {
    return this.bytes.readInt32LE(this.at + 16)
  }

  get hex(): string {
    return [this.w0, this.w1, this.w2, this.w3]
      .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
      .join('')
  }

  get second(): number {
    return this.bytes.readUInt32LE(this.at + 24)
  }
}
