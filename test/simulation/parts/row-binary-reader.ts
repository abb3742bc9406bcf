/** Parses the RowBinary that the workers write, using the column lists of their writers. */

import { outcomeColumns } from '../../../workers/digest/outcome-tally.ts'
import { sessionColumns } from '../../../workers/release-health/session-row.ts'
import { eventColumns } from '../../../workers/rows/event-row.ts'

export interface EventRow {
  readonly projectId: number
  /** 32 lowercase hex digits. */
  readonly eventId: string
  readonly fingerprint: string
  readonly receivedAtMs: number
  readonly partition: number
  readonly generation: number
  readonly streamSeq: number
  readonly recordIndex: number
  readonly sampledIds: readonly string[]
  readonly sampledReceivedAtSeconds: readonly number[]
}

export interface OutcomeRow {
  readonly projectId: number
  readonly hourSecond: number
  readonly outcome: string
  readonly reason: string
  readonly category: string
  readonly sdk: string
  readonly quantity: number
}

export interface SessionRow {
  readonly projectId: number
  readonly hourSecond: number
  readonly sid: string
  readonly status: number
}

type Value = number | string | readonly string[] | readonly number[] | undefined
type Read = (reader: Reader) => Value

const eventTypes: Readonly<Record<(typeof eventColumns)[number], Read>> = {
  project_id: (reader) => reader.int64(),
  event_id: (reader) => reader.uuid(),
  fingerprint: (reader) => reader.uuid(),
  occurred_at: (reader) => reader.int64(),
  received_at: (reader) => reader.int64(),
  level: (reader) => reader.skipString(),
  platform: (reader) => reader.skipString(),
  title: (reader) => reader.skipString(),
  culprit: (reader) => reader.skipString(),
  exception_type: (reader) => reader.skipString(),
  logger: (reader) => reader.skipString(),
  release: (reader) => reader.skipString(),
  dist: (reader) => reader.skipString(),
  environment: (reader) => reader.skipString(),
  component: (reader) => reader.skipString(),
  server_name: (reader) => reader.skipString(),
  sdk: (reader) => reader.skipString(),
  user_id: (reader) => reader.skipString(),
  user_email: (reader) => reader.skipString(),
  user_name: (reader) => reader.skipString(),
  user_ip: (reader) => reader.skipString(),
  tags: (reader) => reader.skipPairs(),
  grouping: (reader) => reader.skipString(),
  payload: (reader) => reader.skipString(),
  dsn_key_no: (reader) => reader.uint(4),
  retention_days: (reader) => reader.uint(2),
  partition: (reader) => reader.uint(2),
  stream_generation: (reader) => reader.uint(4),
  stream_seq: (reader) => reader.int64(),
  record_index: (reader) => reader.uint(4),
  url: (reader) => reader.skipString(),
  http_method: (reader) => reader.skipString(),
  transaction: (reader) => reader.skipString(),
  trace_id: (reader) => reader.skipString(),
  os_name: (reader) => reader.skipString(),
  browser_name: (reader) => reader.skipString(),
  device_model: (reader) => reader.skipString(),
  runtime_name: (reader) => reader.skipString(),
  os: (reader) => reader.skipString(),
  browser: (reader) => reader.skipString(),
  runtime: (reader) => reader.skipString(),
  device_family: (reader) => reader.skipString(),
  device_brand: (reader) => reader.skipString(),
  device_arch: (reader) => reader.skipString(),
  geo_country: (reader) => reader.skipString(),
  geo_region: (reader) => reader.skipString(),
  geo_city: (reader) => reader.skipString(),
  http_status: (reader) => reader.skipString(),
  mechanism: (reader) => reader.skipString(),
  handled: (reader) => reader.skipString(),
  main_thread: (reader) => reader.skipString(),
  error_types: (reader) => reader.skipList(),
  error_values: (reader) => reader.skipList(),
  stack_id: (reader) => reader.int64(),
  stack_functions: (reader) => reader.skipList(),
  stack_filenames: (reader) => reader.skipList(),
  stack_abs_paths: (reader) => reader.skipList(),
  stack_modules: (reader) => reader.skipList(),
  stack_packages: (reader) => reader.skipList(),
  stack_in_app: (reader) => reader.skipString(),
  sampled_ids: (reader) => reader.list(() => reader.uuid()),
  sampled_received_at: (reader) => reader.list(() => reader.uint(4)),
}

const outcomeTypes: Readonly<Record<(typeof outcomeColumns)[number], Read>> = {
  project_id: (reader) => reader.int64(),
  dsn_key_no: (reader) => reader.uint(4),
  component: (reader) => reader.skipString(),
  hour: (reader) => reader.uint(4),
  outcome: (reader) => reader.string(),
  reason: (reader) => reader.string(),
  category: (reader) => reader.string(),
  sdk: (reader) => reader.string(),
  quantity: (reader) => reader.int64(),
}

const sessionTypes: Readonly<Record<(typeof sessionColumns)[number], Read>> = {
  project_id: (reader) => reader.int64(),
  hour: (reader) => reader.uint(4),
  release: (reader) => reader.skipString(),
  environment: (reader) => reader.skipString(),
  sid: (reader) => reader.uuid(),
  status: (reader) => reader.uint(1),
  errored: (reader) => reader.uint(1),
  weight: (reader) => reader.uint(1),
  user_hash: (reader) => reader.int64(),
  duration_ms: (reader) => reader.int64(),
  retention_days: (reader) => reader.uint(2),
}

export function readEventRows(bytes: Uint8Array): EventRow[] {
  return readRows(bytes, eventColumns, eventTypes).map((row) => ({
    projectId: row['project_id'] as number,
    eventId: row['event_id'] as string,
    fingerprint: row['fingerprint'] as string,
    receivedAtMs: row['received_at'] as number,
    partition: row['partition'] as number,
    generation: row['stream_generation'] as number,
    streamSeq: row['stream_seq'] as number,
    recordIndex: row['record_index'] as number,
    sampledIds: row['sampled_ids'] as readonly string[],
    sampledReceivedAtSeconds: row['sampled_received_at'] as readonly number[],
  }))
}

export function readOutcomeRows(bytes: Uint8Array): OutcomeRow[] {
  return readRows(bytes, outcomeColumns, outcomeTypes).map((row) => ({
    projectId: row['project_id'] as number,
    hourSecond: row['hour'] as number,
    outcome: row['outcome'] as string,
    reason: row['reason'] as string,
    category: row['category'] as string,
    sdk: row['sdk'] as string,
    quantity: row['quantity'] as number,
  }))
}

export function readSessionRows(bytes: Uint8Array): SessionRow[] {
  return readRows(bytes, sessionColumns, sessionTypes).map((row) => ({
    projectId: row['project_id'] as number,
    hourSecond: row['hour'] as number,
    sid: row['sid'] as string,
    status: row['status'] as number,
  }))
}

function readRows<Column extends string>(
  bytes: Uint8Array,
  columns: readonly Column[],
  types: Readonly<Record<Column, Read>>,
): Record<string, Value>[] {
  const reader = new Reader(bytes)
  const rows: Record<string, Value>[] = []
  while (!reader.isAtEnd) {
    const row: Record<string, Value> = {}
    for (const column of columns) row[column] = types[column](reader)
    rows.push(row)
  }
  return rows
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  uint(byteCount: number): number {
    this.#at += byteCount
    return this.#bytes.readUIntLE(this.#at - byteCount, byteCount)
  }

  int64(): number {
    this.#at += 8
    return (
      this.#bytes.readUInt32LE(this.#at - 8) + this.#bytes.readInt32LE(this.#at - 4) * 0x1_0000_0000
    )
  }

  varUint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.uint(1)
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  string(): string {
    const length = this.varUint()
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  skipString(): undefined {
    const length = this.varUint()
    this.#at += length
  }

  skipList(): undefined {
    for (let left = this.varUint(); left > 0; left -= 1) this.skipString()
  }

  skipPairs(): undefined {
    for (let left = this.varUint(); left > 0; left -= 1) {
      this.skipString()
      this.skipString()
    }
  }

  /** Two halves of 8 bytes, each little endian. */
  uuid(): string {
    const start = this.#at
    this.#at += 16
    const high = this.#bytes.readBigUInt64LE(start).toString(16).padStart(16, '0')
    return (
      high +
      this.#bytes
        .readBigUInt64LE(start + 8)
        .toString(16)
        .padStart(16, '0')
    )
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.varUint() }, read)
  }
}
