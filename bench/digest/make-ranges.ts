/**
 * Ranges of a partition for `bench:digest`: frames with events, as ingest publishes them. Events of
 * one size are those of the canonical workload; events of a platform are copies of events that real
 * SDKs sent, each with an id and a user of its own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { busMessageBytesMax, rangeBytesMax, recordsPerFrameMax } from '#schemas/limits.ts'
// biome-ignore lint/style/noRestrictedImports: what it measures is a function of the workers.
import type { RangeInput } from '../../workers/digest/range.ts'
import { type Random, seededRandom } from '../load/random.ts'
import { sampleEvent } from '../load/sample-event.ts'
import { workloadIssueCount } from '../load/workload.ts'

export interface Workload {
  readonly name: string
  readonly eventCount: number
  readonly payloads: readonly Buffer[]
  readonly ranges: readonly RangeInput[]
}

/** The sizes of events that are measured, and how many of them. */
export const digestSizes = [
  { kb: 1, eventCount: 8000 },
  { kb: 10, eventCount: 2000 },
  { kb: 50, eventCount: 600 },
] as const

const seed = 1
const nowMs = Date.UTC(2026, 10, 21)
const partition = 0
const frameBytesMax = 512 * 1024
const sdkEvents = join(projectRoot, 'test/fixtures/sdk-events')

export function makeWorkload(kb: number, eventCount: number): Workload {
  const random = seededRandom(seed)
  const payloads = Array.from({ length: eventCount }, (_, index) =>
    Buffer.from(
      sampleEvent({
        eventId: random.hex(32),
        issueIndex: index % workloadIssueCount,
        eventBytes: kb * 1024,
        nowMs,
        random,
      }),
    ),
  )
  return { name: `${kb} KB`, eventCount, payloads, ranges: rangesOf(payloads, random) }
}

/** Recorded events by the name of their file. */
export function makePlatforms(eventCount: number): Workload[] {
  const files = readdirSync(sdkEvents).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => {
    const random = seededRandom(seed)
    const recorded: unknown = JSON.parse(readFileSync(join(sdkEvents, file), 'utf8'))
    const payloads = Array.from({ length: eventCount }, () =>
      Buffer.from(
        JSON.stringify({
          ...(recorded as object),
          event_id: random.hex(32),
          user: { id: String(random.below(50_000)) },
        }),
      ),
    )
    const name = file.slice(0, -'.json'.length)
    return { name, eventCount, payloads, ranges: rangesOf(payloads, random) }
  })
}

function rangesOf(payloads: readonly Buffer[], random: Random): RangeInput[] {
  const frames: Buffer[] = []
  let writer = newWriter()
  const finish = () => {
    const number = { instanceId: '1'.repeat(32), partition, counter: frames.length }
    frames.push(Buffer.from(writer.finish(number)))
    writer = newWriter()
  }
  for (const payload of payloads) {
    const isFull =
      writer.recordCount === recordsPerFrameMax ||
      writer.byteLength + payload.length > frameBytesMax
    if (isFull && writer.recordCount > 0) finish()
    writer.append({
      kind: 'event',
      projectId: 1 as ProjectId,
      dsnKeyNo: 1 as DsnKeyNo,
      receivedAtMs: nowMs,
      recordId: Buffer.from(random.hex(32), 'hex'),
      headerJson: '',
      leaseNo: 1,
      payload,
      address: Buffer.from([203, 0, 113, 7]),
    })
  }
  finish()
  const ranges: RangeInput[] = []
  // A backlog is read in full ranges.
  const framesPerRange = Math.floor(rangeBytesMax / frameBytesMax)
  for (let from = 0; from < frames.length; from += framesPerRange) {
    ranges.push({
      partition,
      generation: 1,
      retentionDays: 90,
      frames: frames
        .slice(from, from + framesPerRange)
        .map((bytes, index) => ({ streamSeq: 1 + from + index, bytes })),
    })
  }
  return ranges
}

function newWriter(): FrameWriter {
  return new FrameWriter(partition, { take: () => Buffer.alloc(busMessageBytesMax) })
}
