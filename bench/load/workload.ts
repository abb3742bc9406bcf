/**
 * The canonical workload of all measurements: a seed and a time always produce the same requests.
 * `RESULTS.md` describes it.
 */
import assert from 'node:assert'
import { eventIdOf } from './event-ids.ts'
import { type Random, seededRandom } from './random.ts'
import { buildRequest, type RequestTemplate } from './request-template.ts'
import { issueCountMax, sampleEvent, sdkName, sdkVersion } from './sample-event.ts'

/**
 * A kind of request: the size of its events, their number, and the share of compressed requests.
 */
interface WorkloadShape {
  readonly label: string
  readonly eventBytes: number
  readonly eventsPerRequest: number
  /** Every n-th request is compressed with gzip; 0 for none. SDKs compress large bodies. */
  readonly gzipEvery: number
  readonly templateCount: number
}

const shapes = {
  '1k': {
    label: '1 KB single',
    eventBytes: 1024,
    eventsPerRequest: 1,
    gzipEvery: 0,
    templateCount: 400,
  },
  '10k': {
    label: '10 KB single',
    eventBytes: 10 * 1024,
    eventsPerRequest: 1,
    gzipEvery: 4,
    templateCount: 256,
  },
  '50k': {
    label: '50 KB single',
    eventBytes: 50 * 1024,
    eventsPerRequest: 1,
    gzipEvery: 2,
    templateCount: 256,
  },
  batch: {
    label: '50 × 1 KB envelope',
    eventBytes: 1024,
    eventsPerRequest: 50,
    gzipEvery: 4,
    templateCount: 256,
  },
} as const satisfies Record<string, WorkloadShape>
export type WorkloadKind = keyof typeof shapes

export const workloadShapes: Readonly<Record<WorkloadKind, WorkloadShape>> = shapes
export const workloadKinds = Object.keys(shapes) as WorkloadKind[]

/** Number of distinct errors. Real projects have far more events than issues. */
export const workloadIssueCount = 200

export interface EnvelopeOptions {
  readonly kind: WorkloadKind
  readonly seed: number
  /** The timestamp of the events. */
  readonly nowMs: number
  /** The first 16 hex digits of every id. */
  readonly runId: string
  readonly publicKey: string
}

export interface WorkloadOptions extends EnvelopeOptions {
  readonly host: string
  readonly projectId: string
  /** Sends the requests to these projects in turn, instead of to `projectId`. */
  readonly projects?: readonly { readonly projectId: string; readonly publicKey: string }[]
}

export function buildWorkload(options: WorkloadOptions): RequestTemplate[] {
  const shape = workloadShapes[options.kind]
  const projects = options.projects ?? [options]
  const paths = projects.map(
    ({ projectId, publicKey }) =>
      `/api/${projectId}/envelope/?sentry_version=7&sentry_key=${publicKey}&sentry_client=${sdkName}%2F${sdkVersion}`,
  )
  const templateCount = Math.max(shape.templateCount, projects.length)
  return envelopeTexts(options, templateCount).map(({ text, eventIds }, index) => {
    const path = paths[index % paths.length]!
    const gzip = shape.gzipEvery > 0 && index % shape.gzipEvery === shape.gzipEvery - 1
    const node = index % 2 === 0 || gzip
    return buildRequest({
      path,
      host: options.host,
      headers: node
        ? [`User-Agent: ${sdkName}/${sdkVersion}`, 'Connection: keep-alive']
        : ['User-Agent: Mozilla/5.0', 'Content-Type: text/plain;charset=UTF-8'],
      encoding: gzip ? 'gzip' : 'identity',
      transfer: node ? 'chunked' : 'length',
      envelope: text,
      eventIds,
    })
  })
}

export interface EnvelopeText {
  readonly text: string
  /** One per event, as contained in the text. */
  readonly eventIds: readonly string[]
}

/** The first envelopes of the workload; the issues repeat in turn. */
export function envelopeTexts(options: EnvelopeOptions, count: number): EnvelopeText[] {
  const { eventsPerRequest } = workloadShapes[options.kind]
  const random = seededRandom(options.seed)
  return Array.from({ length: count }, (_, index) => {
    const first = index * eventsPerRequest
    const eventIds = Array.from({ length: eventsPerRequest }, (_, event) =>
      eventIdOf(options.runId, first + event),
    )
    return { eventIds, text: envelopeOf(options, { eventIds, issueFirst: first, random }) }
  })
}

interface EnvelopeParts {
  readonly eventIds: readonly string[]
  readonly issueFirst: number
  readonly random: Random
}

function envelopeOf(options: EnvelopeOptions, parts: EnvelopeParts): string {
  assert(workloadIssueCount <= issueCountMax)
  const { eventIds, issueFirst, random } = parts
  const events = eventIds.map((eventId, index) =>
    sampleEvent({
      eventId,
      issueIndex: (issueFirst + index) % workloadIssueCount,
      eventBytes: workloadShapes[options.kind].eventBytes,
      nowMs: options.nowMs,
      random,
    }),
  )
  const sentAt = new Date(options.nowMs).toISOString()
  const sdk = { name: sdkName, version: sdkVersion }
  const only = events.length === 1 ? events[0] : undefined
  if (only !== undefined) {
    const trace = { environment: 'production', public_key: options.publicKey }
    const header = JSON.stringify({ event_id: eventIds[0], sent_at: sentAt, sdk, trace })
    return `${header}\n{"type":"event"}\n${only}`
  }
  const items = events.map((event) => `{"type":"event","length":${event.length}}\n${event}\n`)
  return `${JSON.stringify({ sent_at: sentAt, sdk })}\n${items.join('')}`
}
