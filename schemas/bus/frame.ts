/**
 * The message on the broker: a versioned binary batch of records of many requests, for one
 * partition. Ingest writes frames and workers read them. Decoding throws only `FrameError`, for any
 * bytes (frame.property.test.ts).
 *
 * All integers are little endian.
 *
 *   frame   0 magic 'SLUF' · 4 version u8 · 5 installation mark, high 8 bits · 6 partition u16
 *           8 instance id 16 B · 24 counter u48 · 30 installation mark, low 16 bits
 *          32 record count u32 · 36 body bytes u32
 *          40 CRC-32 u32 over the 40 bytes before it and the body · 44 body: records, end to end
 *   record  0 record bytes u32 (these four included) · 4 kind u8 · 5 address family u8 (0, 4 or 6)
 *           6 header bytes u16 · 8 project id u48 · 14 DSN key number u32 · 18 received at u48 (ms)
 *          24 record id 16 B · 40 address 16 B · 56 lease u48 · 62 zero u16
 *          64 header JSON · payload
 */
import { crc32 } from 'node:zlib'
import type { RetryHeader } from '../dead-letter.ts'
import type { DsnKeyNo, ProjectId } from '../ids.ts'
import { recordsPerFrameMax } from '../limits.ts'

export const recordKinds = [
  'event',
  'session',
  'check_in',
  'client_report',
  'feedback',
  'outcomes',
  'attachment',
] as const
export type RecordKind = (typeof recordKinds)[number]

/** Metadata of a record. Every field is optional, and usually absent. */
export interface RecordHeader {
  /** Label of the component key that the item was sent with. */
  readonly component?: string
  /** `sentry_client` of the request, or `sdk.name/version` of the envelope. */
  readonly client?: string
  /** Name of the SDK that the item is counted for, without a version; absent when unknown. */
  readonly sdk?: string
  /** `sent_at` of the envelope as the client wrote it, by the client's clock. */
  readonly sent_at?: string
  /** The item type, where the kind does not determine it: `sessions`, `user_report`. */
  readonly item?: string
  /** `event_id` of the envelope, 32 lowercase hex digits. Only in `feedback` records. */
  readonly envelope_id?: string
  /** The record is a dead letter that is retried. Set by workers only. */
  readonly retry?: RetryHeader
}

/** The first counter of an instance and partition. Workers wait for it. */
export const firstFrameCounter = 0

/** The end-to-end number of a frame. The counters of an instance and partition have no gaps. */
export interface FrameNumber {
  /** 32 lowercase hex digits, new at every start of an ingest process. */
  readonly instanceId: string
  readonly partition: number
  readonly counter: number
}

export interface RecordView {
  readonly kind: RecordKind
  readonly projectId: ProjectId
  /** 0 when the record has no key. */
  readonly dsnKeyNo: DsnKeyNo
  readonly receivedAtMs: number
  /** 32 lowercase hex digits. The event id for events. */
  readonly recordId: string
  /** The quota lease (`quota_leases.lease_no`) that the record was charged to; 0 for none. */
  readonly leaseNo: number
  /** IP address of the sender as text, if known. */
  readonly address: string | undefined
  readonly header: RecordHeader
  /** A view into the frame's bytes. Copy it to keep it. */
  readonly payload: Uint8Array
}

export interface Frame extends FrameNumber {
  /**
   * Identifies the installation that wrote the frame, 24 bits; 0 in frames of versions that had
   * none.
   */
  readonly installationMark: number
  readonly recordCount: number
  readonly body: Uint8Array
}

export class FrameError extends Error {}

export const frameHeaderBytes = 44
export const recordFixedBytes = 64
export const frameMagic = 0x46_55_4c_53 // 'SLUF' read as a little endian u32.
export const frameVersion = 2

/**
 * `<instance id>.<partition>.<counter>`: the `Nats-Msg-Id`, so that a frame that is sent twice is
 * stored once.
 */
export function frameId(number: FrameNumber): string {
  return `${number.instanceId}.${number.partition}.${number.counter}`
}

/**
 * Checks the frame as a whole: lengths, version and CRC. Records are checked when they are read.
 */
export function decodeFrame(bytes: Uint8Array): Frame {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length < frameHeaderBytes) throw new FrameError('shorter than a frame header')
  if (view.readUInt32LE(0) !== frameMagic) throw new FrameError('not a frame')
  if (view[4] !== frameVersion) throw new FrameError(`frame version ${view[4]} is unknown`)
  if (view.readUInt32LE(36) !== view.length - frameHeaderBytes) {
    throw new FrameError('the body length differs from the header')
  }
  if (view.readUInt32LE(40) !== frameCrc(view)) throw new FrameError('the CRC differs')
  const recordCount = view.readUInt32LE(32)
  if (recordCount > recordsPerFrameMax) throw new FrameError('more records than a frame may hold')
  return {
    instanceId: view.toString('hex', 8, 24),
    partition: view.readUInt16LE(6),
    counter: view.readUIntLE(24, 6),
    installationMark: view[5]! * 2 ** 16 + view.readUInt16LE(30),
    recordCount,
    body: view.subarray(frameHeaderBytes),
  }
}

/** The records of a frame, in order. */
export function decodeRecords(frame: Frame): RecordView[] {
  const records: RecordView[] = []
  walkRecords(frame, (record, headerBytes) => records.push(decodeRecord(record, headerBytes)))
  return records
}

/** The identity of a record. The bytes belong to the frame: copy them to keep them. */
export interface RecordIdentity {
  readonly kind: RecordKind
  readonly projectId: ProjectId
  readonly receivedAtMs: number
  /** The 16 bytes of the id are `bytes[idStart, idStart + 16)`. */
  readonly bytes: Buffer
  readonly idStart: number
}

/**
 * Visits the records of a frame in order without decoding them, at a fraction of the cost of
 * `decodeRecords`.
 */
export function visitRecordIds(frame: Frame, visit: (identity: RecordIdentity) => void): void {
  walkRecords(frame, (record) => {
    visit({
      kind: kindOf(record),
      projectId: record.readUIntLE(8, 6) as ProjectId,
      receivedAtMs: record.readUIntLE(18, 6),
      bytes: record,
      idStart: 24,
    })
  })
}

function walkRecords(frame: Frame, visit: (record: Buffer, headerBytes: number) => void): void {
  const body = Buffer.from(frame.body.buffer, frame.body.byteOffset, frame.body.byteLength)
  let count = 0
  let start = 0
  while (start < body.length) {
    if (body.length - start < recordFixedBytes) throw new FrameError('a record is cut short')
    const recordBytes = body.readUInt32LE(start)
    const headerBytes = body.readUInt16LE(start + 6)
    if (recordBytes < recordFixedBytes + headerBytes || recordBytes > body.length - start) {
      throw new FrameError('a record length is wrong')
    }
    count += 1
    if (frame.recordCount < count) break
    visit(body.subarray(start, start + recordBytes), headerBytes)
    start += recordBytes
  }
  if (count !== frame.recordCount) {
    throw new FrameError('the record count differs from the header')
  }
}

function kindOf(record: Buffer): RecordKind {
  const kind = recordKinds[record[4]! - 1]
  if (kind === undefined) throw new FrameError(`record kind ${record[4]} is unknown`)
  return kind
}

function decodeRecord(record: Buffer, headerBytes: number): RecordView {
  const payloadStart = recordFixedBytes + headerBytes
  return {
    kind: kindOf(record),
    projectId: record.readUIntLE(8, 6) as ProjectId,
    dsnKeyNo: record.readUInt32LE(14) as DsnKeyNo,
    receivedAtMs: record.readUIntLE(18, 6),
    recordId: record.toString('hex', 24, 40),
    leaseNo: record.readUIntLE(56, 6),
    address: addressText(record[5]!, record.subarray(40, 56)),
    header:
      headerBytes === 0 ? {} : parseHeader(record.toString('utf8', recordFixedBytes, payloadStart)),
    payload: record.subarray(payloadStart),
  }
}

function parseHeader(json: string): RecordHeader {
  let header: unknown
  try {
    header = JSON.parse(json)
  } catch (cause) {
    throw new FrameError('a record header is not JSON', { cause })
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new FrameError('a record header is not an object')
  }
  return header
}

function addressText(family: number, bytes: Uint8Array): string | undefined {
  if (family === 0) return undefined
  if (family === 4) return bytes.subarray(0, 4).join('.')
  if (family !== 6) throw new FrameError(`address family ${family} is unknown`)
  const mapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return bytes.subarray(12).join('.')
  const groups: string[] = []
  for (let at = 0; at < 16; at += 2) groups.push(((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return compressGroups(groups)
}

/** RFC 5952: the longest run of two or more zero groups becomes `::`. */
function compressGroups(groups: readonly string[]): string {
  let best = { start: 0, length: 1 }
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0
    while (groups[start + length] === '0') length += 1
    if (length > best.length) best = { start, length }
  }
  if (best.length < 2) return groups.join(':')
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`
}

export function frameCrc(frame: Buffer): number {
  return crc32(frame.subarray(frameHeaderBytes), crc32(frame.subarray(0, 40)))
}
