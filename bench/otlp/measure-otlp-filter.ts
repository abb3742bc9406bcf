/**
 * Measures filtering a body by severity, and decoding the same body with a general library, in
 * turn, so that a slow machine affects both. Filtering is everything that ingest does with a body
 * before it charges and frames: scan, count, create events of the errors. Decoding only creates the
 * objects.
 */
import type { EventId, ProjectId } from '#schemas/ids.ts'
// biome-ignore-start lint/style/noRestrictedImports: what is measured is these functions, not a service.
import { UnsupportedTypes } from '../../ingest/intake/unsupported-types.ts'
import { LogsPlan } from '../../ingest/otlp/logs-plan.ts'
import {
  jsonEncoding,
  type OtlpEncoding,
  protobufEncoding,
} from '../../ingest/otlp/otlp-encoding.ts'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { median } from '../report/median.ts'
import { exportLogsRequest } from './otlp-messages.ts'
import { type OtlpPayload, otlpPayload } from './otlp-payload.ts'

export interface FilterCase {
  readonly encoding: 'protobuf' | 'JSON'
  readonly recordsPerBody: number
  /** One record in this many is an error; 0 for none. */
  readonly errorEvery: number
}

export interface FilterResult extends FilterCase {
  readonly bytesPerRecord: number
  /** Microseconds per record in the median round. */
  readonly filterUs: number
  readonly decodeUs: number
  /** Ratio of records per second: the median over rounds, each of which runs both sides. */
  readonly ratio: number
}

export const filterCases: readonly FilterCase[] = (['protobuf', 'JSON'] as const).flatMap(
  (encoding) =>
    [100, 1000].flatMap((recordsPerBody) =>
      [0, 100].map((errorEvery) => ({ encoding, recordsPerBody, errorEvery })),
    ),
)

/** Records of each side in each round. */
const recordsPerRound = 200_000
const warmUpRounds = 2

export function measureFilter(one: FilterCase, rounds: number): FilterResult {
  const payload = otlpPayload(one.recordsPerBody, one.errorEvery)
  const { filter, decode, bytes } = sidesOf(one.encoding, payload)
  checkCounts(filter(), one)
  const filtered: number[] = []
  const decoded: number[] = []
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    const filterUs = cpuUsPerRecord(filter, one.recordsPerBody)
    const decodeUs = cpuUsPerRecord(decode, one.recordsPerBody)
    if (round < warmUpRounds) continue
    filtered.push(filterUs)
    decoded.push(decodeUs)
  }
  const ratios = filtered.map((us, index) => decoded[index]! / us)
  return {
    ...one,
    bytesPerRecord: bytes.length / one.recordsPerBody,
    filterUs: middle(filtered),
    decodeUs: middle(decoded),
    ratio: middle(ratios),
  }
}

interface Sides {
  readonly bytes: Buffer
  filter(): Filtered
  decode(): unknown
}

interface Filtered {
  readonly events: number
  readonly dropped: number
}

function sidesOf(encoding: FilterCase['encoding'], payload: OtlpPayload): Sides {
  if (encoding === 'protobuf') {
    const bytes = payload.protobuf
    return {
      bytes,
      filter: () => filterBody(protobufEncoding, bytes),
      decode: () => exportLogsRequest.decode(bytes),
    }
  }
  const bytes = payload.json
  return {
    bytes,
    filter: () => filterBody(jsonEncoding, bytes),
    decode: () => JSON.parse(bytes.toString()) as unknown,
  }
}

const ctx = {
  unsupportedTypes: new UnsupportedTypes(),
  newEventId: () => '0'.repeat(31).concat('1') as EventId,
}
const key = { projectId: 42 as ProjectId }

function filterBody(encoding: OtlpEncoding, bytes: Buffer): Filtered {
  const found = encoding.scan(bytes)
  if (found.kind === 'malformed') throw new Error(found.cause)
  const plan = new LogsPlan(ctx, key, { encoding, found, bytes })
  while (plan.advance() === 'more');
  const { events, outcomes } = plan.planned().plan
  return { events: events.length, dropped: outcomes[0]?.quantity ?? 0 }
}

/** Checks that the filter has done its work. */
function checkCounts({ events, dropped }: Filtered, one: FilterCase): void {
  const errors = one.errorEvery === 0 ? 0 : Math.floor(one.recordsPerBody / one.errorEvery)
  if (events === errors && dropped === one.recordsPerBody - errors) return
  throw new Error(`${events} events and ${dropped} dropped of ${one.recordsPerBody} records`)
}

function cpuUsPerRecord(work: () => unknown, recordsPerBody: number): number {
  const bodies = recordsPerRound / recordsPerBody
  const before = process.cpuUsage()
  for (let body = 0; body < bodies; body += 1) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / recordsPerRound
}

function middle(values: readonly number[]): number {
  const [first, ...others] = values
  if (first === undefined) throw new Error('nothing was measured')
  return median([first, ...others])
}
