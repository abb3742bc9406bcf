/**
 * One row of the table `events` (schemas/clickhouse/0001-events.sql), in the order of
 * `eventColumns`.
 */
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import { secondOf } from '../dedup/id-window.ts'
import type { Grouping } from '../grouping/grouping.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { errorTexts, eventFacts } from './event-facts.ts'
import { payloadTexts } from './payload-texts.ts'
import type { RowBinaryWriter } from './row-binary.ts'
import type { RowStack } from './stacks.ts'

export const eventColumns = [
  'project_id',
  'event_id',
  'fingerprint',
  'occurred_at',
  'received_at',
  'level',
  'platform',
  'title',
  'culprit',
  'exception_type',
  'logger',
  'release',
  'dist',
  'environment',
  'component',
  'server_name',
  'sdk',
  'user_id',
  'user_email',
  'user_name',
  'user_ip',
  'tags',
  'grouping',
  'payload',
  'dsn_key_no',
  'retention_days',
  'partition',
  'stream_generation',
  'stream_seq',
  'record_index',
  'url',
  'http_method',
  'transaction',
  'trace_id',
  'os_name',
  'browser_name',
  'device_model',
  'runtime_name',
  'os',
  'browser',
  'runtime',
  'device_family',
  'device_brand',
  'device_arch',
  'geo_country',
  'geo_region',
  'geo_city',
  'http_status',
  'mechanism',
  'handled',
  'main_thread',
  'error_types',
  'error_values',
  'stack_id',
  'stack_functions',
  'stack_filenames',
  'stack_abs_paths',
  'stack_modules',
  'stack_packages',
  'stack_in_app',
  'sampled_ids',
  'sampled_received_at',
] as const

const textsInPayload = Object.values(payloadTexts)
const facts = Object.values(eventFacts)

export interface EventPosition {
  readonly projectId: ProjectId
  readonly dsnKeyNo: DsnKeyNo
  readonly retentionDays: number
  readonly partition: number
  readonly generation: number
  readonly streamSeq: number
  readonly recordIndex: number
}

export interface RowParts {
  readonly grouping: Grouping
  readonly position: EventPosition
  readonly stack: RowStack
}

/** All but the last two columns, which `writeSampledEvents` adds. */
export function writeEventRow(
  row: RowBinaryWriter,
  event: NormalizedEvent,
  { grouping, position, stack }: RowParts,
): void {
  row.uint64(position.projectId)
  row.uuid(event.eventId)
  row.uuid(grouping.hashes[0].hash)
  row.dateTime64Ms(event.occurredAtMs)
  row.dateTime64Ms(event.receivedAtMs)
  row.text(event.level)
  row.text(storedText(event.platform))
  row.text(storedText(grouping.title))
  row.text(storedText(grouping.culprit))
  row.text(storedText(grouping.exceptionType))
  row.text(storedText(event.logger))
  row.text(event.release)
  row.text(event.dist)
  row.text(event.environment)
  row.text(storedText(event.component))
  row.text(storedText(event.serverName))
  row.text(storedText(event.sdk))
  row.text(storedText(event.user.id))
  row.text(storedText(event.user.email))
  row.text(storedText(event.user.name))
  row.text(storedText(event.user.ip))
  row.varUint(event.tags.length)
  for (const [key, value] of event.tags) {
    row.text(storedText(key))
    row.text(storedText(value))
  }
  row.json(shortGrouping(grouping))
  row.json(event.payload)
  row.uint32(position.dsnKeyNo)
  row.uint16(position.retentionDays)
  row.uint16(position.partition)
  row.uint32(position.generation)
  row.uint64(position.streamSeq)
  row.uint32(position.recordIndex)
  for (const textOf of textsInPayload) row.text(textOf(event.inPayload))
  for (const factOf of facts) row.text(factOf(event))
  const { types, values } = errorTexts(event)
  writeTexts(row, types)
  writeTexts(row, values)
  writeStack(row, stack)
}

function writeStack(row: RowBinaryWriter, { id, names }: RowStack): void {
  row.uint64(id)
  writeTexts(row, names?.functions ?? [])
  writeTexts(row, names?.filenames ?? [])
  writeTexts(row, names?.absPaths ?? [])
  writeTexts(row, names?.modules ?? [])
  writeTexts(row, names?.packages ?? [])
  row.text(storedText(names?.inApp ?? ''))
}

function writeTexts(row: RowBinaryWriter, texts: readonly StoredText[]): void {
  row.varUint(texts.length)
  for (const text of texts) row.text(text)
}

/** Writes the events that this row represents: their ids, and their times of receipt in seconds. */
export function writeSampledEvents(
  row: RowBinaryWriter,
  events: { readonly ids: readonly string[]; readonly receivedAtMs: readonly number[] },
): void {
  row.varUint(events.ids.length)
  for (const id of events.ids) row.uuid(id)
  row.varUint(events.receivedAtMs.length)
  for (const ms of events.receivedAtMs) row.uint32(secondOf(ms))
}

/** The short grouping record of the event; Postgres holds the explanation once per hash. */
function shortGrouping({ algorithm, path, hashes }: Grouping): string {
  // The names are our own and need no escape.
  let list = ''
  for (const { variant, hash } of hashes)
    list += `${list === '' ? '' : ','}{"variant":"${variant}","hash":"${hash}"}`
  return `{"algorithm":"${algorithm}","path":"${path}","hashes":[${list}]}`
}
