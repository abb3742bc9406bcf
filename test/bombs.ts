/** Zeros without end in a few bytes, in every encoding that ingest takes. */
import zlib from 'node:zlib'

const zstdBlockBytes = 128 * 1024

export class Bombs {
  readonly zlib: Buffer
  /** Content-Encoding and body. */
  readonly all: readonly (readonly [encoding: string, body: Buffer])[]

  constructor(bytes: number) {
    const zeros = Buffer.alloc(bytes)
    const fast = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }
    this.zlib = zlib.deflateSync(zeros)
    this.all = [
      ['gzip', zlib.gzipSync(zeros)],
      ['deflate', this.zlib],
      ['deflate', zlib.deflateRawSync(zeros)],
      ['br', zlib.brotliCompressSync(zeros, fast)],
      ['zstd', zstdOfZeros(bytes)],
      ['zstd', zstdWithWindow()],
    ]
  }
}

/** Every block is one byte and how often it is repeated (RFC 8878, 3.1.1.2.2). */
function zstdOfZeros(bytes: number): Buffer {
  const blocks = Math.ceil(bytes / zstdBlockBytes)
  const window8MiB = 13 << 3
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window8MiB])]
  for (let block = 1; block <= blocks; block += 1) {
    const last = block === blocks ? 1 : 0
    const head = (zstdBlockBytes << 3) | (1 << 1) | last
    parts.push(Buffer.from([head & 0xff, (head >> 8) & 0xff, head >> 16, 0]))
  }
  return Buffer.concat(parts)
}

/** Asks for a window of 2 GiB before it has said anything. */
function zstdWithWindow(): Buffer {
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0])
}
