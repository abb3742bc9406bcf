/**
 * Cuts a stream of rows into objects at places that depend on the rows only: a row ends an object
 * when its CRC is small enough. So rows that were added, changed or deleted change the objects
 * around them, and the objects before and after stay the same.
 */
import { crc32 } from 'node:zlib'

export interface CutOptions {
  /** A shorter object is only cut at the end. */
  readonly bytesMin: number
  /** Average distance between two cuts after `bytesMin`. */
  readonly bytesBetween: number
  /** An object that reaches this size is cut after the current row. */
  readonly bytesMax: number
}

export const cutDefaults: CutOptions = {
  bytesMin: 1024 ** 2,
  bytesBetween: 3 * 1024 ** 2,
  bytesMax: 16 * 1024 ** 2,
}

export interface CutObject {
  readonly bytes: Buffer
  readonly rows: number
}

const newline = 0x0a

/** Rows end with a newline, as in the text format of COPY, which escapes newlines in values. */
export class RowCutter {
  readonly #options: CutOptions
  /** Complete rows of the current object, and the beginning of the next row. */
  #pieces: Buffer[] = []
  #bytes = 0
  #rows = 0
  #rowBytes = 0
  #rowCrc = 0

  constructor(options: CutOptions = cutDefaults) {
    this.#options = options
  }

  /** Yields the objects that the bytes complete. */
  *add(chunk: Buffer): Generator<CutObject> {
    let pieceStart = 0
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(newline, start)
      const stop = end === -1 ? chunk.length : end + 1
      this.#rowCrc = crc32(chunk.subarray(start, stop), this.#rowCrc)
      this.#rowBytes += stop - start
      this.#bytes += stop - start
      start = stop
      if (end === -1) break
      this.#rows += 1
      const isCut = this.#isCut()
      this.#rowCrc = 0
      this.#rowBytes = 0
      if (!isCut) continue
      this.#pieces.push(chunk.subarray(pieceStart, stop))
      pieceStart = stop
      yield this.#take()
    }
    // Copied, because the driver may use the memory of a chunk again.
    if (pieceStart < chunk.length) this.#pieces.push(Buffer.from(chunk.subarray(pieceStart)))
  }

  /** The rest, if there is one. Throws if it does not end with a complete row. */
  *end(): Generator<CutObject> {
    if (this.#rowBytes > 0) throw new Error('the rows end within a row')
    if (this.#bytes > 0) yield this.#take()
  }

  #isCut(): boolean {
    const { bytesMin, bytesBetween, bytesMax } = this.#options
    if (this.#bytes >= bytesMax) return true
    return this.#bytes >= bytesMin && this.#rowCrc < (2 ** 32 * this.#rowBytes) / bytesBetween
  }

  #take(): CutObject {
    const object = { bytes: Buffer.concat(this.#pieces), rows: this.#rows }
    this.#pieces = []
    this.#bytes = 0
    this.#rows = 0
    return object
  }
}
