/** Writes frames. Their layout is documented in frame.ts. */
import assert from 'node:assert'
import type { DsnKeyNo, ProjectId } from '../ids.ts'
import { busMessageBytesMax, recordHeaderBytesMax, recordsPerFrameMax } from '../limits.ts'
import {
  type FrameNumber,
  frameCrc,
  frameHeaderBytes,
  frameMagic,
  frameVersion,
  type RecordKind,
  recordFixedBytes,
  recordKinds,
} from './frame.ts'

export interface RecordFields {
  readonly kind: RecordKind
  readonly projectId: ProjectId
  readonly dsnKeyNo: DsnKeyNo
  readonly receivedAtMs: number
  /** 16 bytes. */
  readonly recordId: Uint8Array
  /**
   * 16 bytes that choose the partition instead of the id: records of one project with equal keys
   * are in one partition, in the order they arrived. Not part of the frame.
   */
  readonly partitionKey?: Uint8Array | undefined
  /** 4 or 16 bytes as the socket returns them. Other lengths are ignored. */
  readonly address?: Uint8Array | undefined
  /** Quota lease of the record, as in `RecordView`; 0 when omitted. */
  readonly leaseNo?: number
  /** JSON text of a `RecordHeader`; empty means `{}`. */
  readonly headerJson: string
  /** The payload is `payload[payloadStart, payloadEnd)`; all of it when omitted. */
  readonly payload: Uint8Array
  readonly payloadStart?: number
  readonly payloadEnd?: number
}

/** Provides a buffer when the writer's own was passed on with a frame. */
export interface BufferSource {
  take(): Buffer
}

/** A frame that uses less of its buffer than this share is copied out of it. */
const handOverShare = 1 / 4

/**
 * Collects the records of one frame. Copies each payload once; a well-filled buffer is passed on
 * with its frame.
 */
export class FrameWriter {
  readonly partition: number
  recordCount = 0
  readonly #buffers: BufferSource
  #bytes: Buffer
  #length = frameHeaderBytes

  constructor(partition: number, buffers: BufferSource) {
    assert(0 <= partition && partition <= 0xffff)
    this.partition = partition
    this.#buffers = buffers
    this.#bytes = buffers.take()
    assert(this.#bytes.length >= frameHeaderBytes)
  }

  /** Size of the frame if it were finished now. */
  get byteLength(): number {
    return this.#length
  }

  append(record: RecordFields): void {
    assert(this.recordCount < recordsPerFrameMax)
    assert(record.recordId.length === 16)
    const { payload, payloadStart = 0, payloadEnd = payload.length } = record
    assert(0 <= payloadStart && payloadStart <= payloadEnd && payloadEnd <= payload.length)
    const payloadBytes = payloadEnd - payloadStart
    const bound = recordFixedBytes + record.headerJson.length * 3 + payloadBytes
    assert(this.#length + bound <= busMessageBytesMax)
    if (this.#length + bound > this.#bytes.length) this.#grow(this.#length + bound)

    const bytes = this.#bytes
    const start = this.#length
    const headerBytes =
      record.headerJson === '' ? 0 : bytes.write(record.headerJson, start + recordFixedBytes)
    assert(headerBytes <= recordHeaderBytesMax)
    const recordBytes = recordFixedBytes + headerBytes + payloadBytes
    bytes.writeUInt32LE(recordBytes, start)
    bytes[start + 4] = recordKinds.indexOf(record.kind) + 1
    const address = record.address
    const family = address?.length === 4 ? 4 : address?.length === 16 ? 6 : 0
    bytes[start + 5] = family
    bytes.writeUInt16LE(headerBytes, start + 6)
    bytes.writeUIntLE(record.projectId, start + 8, 6)
    bytes.writeUInt32LE(record.dsnKeyNo, start + 14)
    bytes.writeUIntLE(record.receivedAtMs, start + 18, 6)
    // A few bytes are copied faster by a loop than by a native call.
    for (let at = 0; at < 16; at += 1) bytes[start + 24 + at] = record.recordId[at]!
    const addressBytes = address === undefined || family === 0 ? 0 : address.length
    for (let at = 0; at < 16; at += 1) {
      bytes[start + 40 + at] = at < addressBytes ? address![at]! : 0
    }
    bytes.writeUIntLE(record.leaseNo ?? 0, start + 56, 6)
    bytes.writeUInt16LE(0, start + 62)
    const payloadTarget = start + recordFixedBytes + headerBytes
    if (Buffer.isBuffer(payload)) payload.copy(bytes, payloadTarget, payloadStart, payloadEnd)
    else bytes.set(payload.subarray(payloadStart, payloadEnd), payloadTarget)
    this.#length = start + recordBytes
    this.recordCount += 1
  }

  /** The finished frame. Its bytes belong to the caller; the writer is empty afterwards. */
  finish(number: FrameNumber, installationMark = 0): Buffer {
    assert(number.partition === this.partition)
    assert(0 <= installationMark && installationMark < 2 ** 24)
    assert(this.recordCount > 0)
    const frame = this.#takeFilled()
    frame.writeUInt32LE(frameMagic, 0)
    frame[4] = frameVersion
    frame[5] = installationMark >>> 16
    frame.writeUInt16LE(number.partition, 6)
    frame.write(number.instanceId, 8, 16, 'hex')
    frame.writeUIntLE(number.counter, 24, 6)
    frame.writeUInt16LE(installationMark & 0xffff, 30)
    frame.writeUInt32LE(this.recordCount, 32)
    frame.writeUInt32LE(frame.length - frameHeaderBytes, 36)
    frame.writeUInt32LE(frameCrc(frame), 40)
    this.#length = frameHeaderBytes
    this.recordCount = 0
    return frame
  }

  #takeFilled(): Buffer {
    const filled = this.#bytes.subarray(0, this.#length)
    if (this.#length < this.#bytes.length * handOverShare) {
      const copy = Buffer.allocUnsafeSlow(this.#length)
      filled.copy(copy)
      return copy
    }
    this.#bytes = this.#buffers.take()
    return filled
  }

  #grow(bytesWanted: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(bytesWanted, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}
