/** Dead letters: records that could not be digested, with everything that a retry needs. */
import type { RecordKind, RecordView } from '#schemas/bus/frame.ts'
import type { DeadLetterReason } from '#schemas/dead-letter.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { type StoredText, storedJson } from '#schemas/stored-text.ts'
import type { ProjectRules } from '../digest/project-rules.ts'

/**
 * Bytes that could not be digested or stored. They are kept so that they neither block the
 * partition nor are lost.
 */
export interface DeadLetter {
  readonly streamSeq: number
  /** -1 when the frame as a whole is unreadable. */
  readonly recordIndex: number
  readonly projectId: ProjectId | undefined
  readonly reason: DeadLetterReason
  readonly detail: StoredText
  /** The record's payload, or the unreadable frame. */
  readonly bytes: Uint8Array
  /** Data for a retry in addition to the payload; absent for an unreadable frame. */
  readonly record?: DeadRecord
}

export interface DeadRecord {
  readonly kind: RecordKind
  readonly dsnKeyNo: DsnKeyNo
  readonly receivedAtMs: number
  /** 32 lowercase hex digits. */
  readonly recordId: string
  readonly address: string | undefined
  /** JSON of the record's header, without `retry`. */
  readonly header: StoredText
}

/**
 * Other kinds do not use the address, and are digested without the settings of their project
 * (range-frames.ts).
 */
const kindsWithAddress: ReadonlySet<RecordKind> = new Set(['event', 'session', 'feedback'])

export function deadRecord(record: RecordView, { removesAddresses }: ProjectRules): DeadRecord {
  const { kind, dsnKeyNo, receivedAtMs, recordId, address } = record
  const { retry: _, ...header } = record.header
  return {
    kind,
    dsnKeyNo,
    receivedAtMs,
    recordId,
    address: removesAddresses || !kindsWithAddress.has(kind) ? undefined : address,
    header: storedJson(header),
  }
}

/**
 * With bytes of their own: those of the digest are views into frames, whose memory is given back.
 * `slice` would not copy a Buffer.
 */
export function ownDeadLetters(deadLetters: readonly DeadLetter[]): DeadLetter[] {
  return deadLetters.map(({ bytes, ...deadLetter }) => ({
    ...deadLetter,
    bytes: new Uint8Array(bytes),
  }))
}
