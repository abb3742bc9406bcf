/** Prints dead letters with bounded length and without characters that a terminal interprets. */
import type { DeadLetterDetails, StoredDeadLetter } from '../../dead-letters/dead-letter-store.ts'
import { readPayload } from '../../dead-letters/read-payload.ts'
import type { Row } from '../print.ts'

const detailCharactersMax = 100

/** Control characters except tab and line feed, and characters that change the text direction. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu

export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function listedDeadLetter(deadLetter: StoredDeadLetter, isJson: boolean): Row {
  const { id, created_at, project_id, project_name, reason, kind, detail } = deadLetter
  const fields = { id, created_at, project_id, project_name, reason, kind }
  const size = { payload_bytes: deadLetter.payload_bytes, state: stateOf(deadLetter) }
  if (isJson) return { ...fields, detail, ...size }
  const line = printable(detail.replace(/\s+/g, ' '))
  const short = line.length > detailCharactersMax ? `${line.slice(0, detailCharactersMax)}…` : line
  return {
    ...fields,
    project_name: project_name && printable(project_name),
    ...size,
    detail: short,
  }
}

export function shownDeadLetter(deadLetter: DeadLetterDetails, isJson: boolean): Row {
  const text = (value: string | null) => (isJson || value === null ? value : printable(value))
  const { encoding, payload, isTruncated } = readPayload(deadLetter.bytes)
  return {
    id: deadLetter.id,
    created_at: deadLetter.created_at,
    state: stateOf(deadLetter),
    retry_requested_at: deadLetter.retry_requested_at,
    retry_sent_at: deadLetter.retry_sent_at,
    project_id: deadLetter.project_id,
    project_name: text(deadLetter.project_name),
    reason: deadLetter.reason,
    detail: text(deadLetter.detail),
    partition: deadLetter.partition,
    generation: deadLetter.generation,
    stream_seq: deadLetter.stream_seq,
    record_index: deadLetter.record_index,
    kind: deadLetter.kind,
    record_id: deadLetter.record_id,
    received_at: deadLetter.received_at,
    dsn_key_no: deadLetter.dsn_key_no,
    address: deadLetter.address,
    header: isJson
      ? deadLetter.header
      : text(deadLetter.header && JSON.stringify(deadLetter.header)),
    payload_bytes: deadLetter.payload_bytes,
    payload_encoding: encoding,
    payload_truncated: isTruncated,
    payload: text(payload),
  }
}

/** `waiting`: kept until it is retried or deleted. `retrying`: the workers process it again. */
function stateOf({ retry_requested_at }: StoredDeadLetter): 'waiting' | 'retrying' {
  return retry_requested_at === null ? 'waiting' : 'retrying'
}
