/**
 * The header of a segment file, which identifies its owner. Segments of earlier versions start with
 * their first frame.
 *
 *   0 magic 'SLUW' · 4 version u8 · 5 zero u8 × 3 · 8 installation id 16 B · 24 instance id 16 B
 *   40 CRC-32 u32 over the 40 bytes before it · 44 frames, end to end
 */
import { crc32 } from 'node:zlib'

export const segmentHeaderBytes = 44
const magic = Buffer.from('SLUW')
const version = 1
const crcOffset = 40

export interface SegmentOwner {
  /** A UUID. */
  readonly installationId: string
  /** Instance id of the writer, 32 lowercase hex digits. */
  readonly instanceId: string
}

export interface SegmentStart {
  /** Undefined when the segment has no header or the header is damaged. */
  readonly owner: SegmentOwner | undefined
  /** Offset of the first frame. */
  readonly bytes: number
}

export function encodeSegmentHeader({ installationId, instanceId }: SegmentOwner): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes)
  magic.copy(header)
  header[4] = version
  header.write(installationId.replaceAll('-', ''), 8, 16, 'hex')
  header.write(instanceId, 24, 16, 'hex')
  header.writeUInt32LE(crc32(header.subarray(0, crcOffset)), crcOffset)
  return header
}

/**
 * Never throws.
 * @param file at least the first bytes of a segment, fewer when the file is shorter.
 */
export function decodeSegmentHeader(file: Buffer): SegmentStart {
  if (file.length < magic.length || magic.compare(file, 0, magic.length) !== 0) {
    return { owner: undefined, bytes: 0 }
  }
  // A header that was cut off contains no frame.
  if (file.length < segmentHeaderBytes) return { owner: undefined, bytes: file.length }
  const isWhole = crc32(file.subarray(0, crcOffset)) === file.readUInt32LE(crcOffset)
  if (!isWhole || file[4] !== version) return { owner: undefined, bytes: segmentHeaderBytes }
  const id = file.toString('hex', 8, 24)
  return {
    owner: {
      installationId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      instanceId: file.toString('hex', 24, 40),
    },
    bytes: segmentHeaderBytes,
  }
}
