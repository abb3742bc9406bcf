import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventIdOf } from './event-ids.ts'
import { patchRequest, type RequestTemplate } from './request-template.ts'
import { buildWorkload, workloadIssueCount, workloadKinds, workloadShapes } from './workload.ts'

const runId = 'a1b2c3d4e5f60718'
const options = {
  seed: 7,
  nowMs: 1_790_000_000_000,
  runId,
  host: '127.0.0.1',
  projectId: '42',
  publicKey: '0123456789abcdef0123456789abcdef',
}

interface SentEvent {
  event_id: string
  timestamp: number
  exception: {
    values: { type: string; stacktrace: { frames: { in_app: boolean; function: string }[] } }[]
  }
}

/** Parses HTTP and envelopes without sharing code with the workload. */
function readRequest(template: RequestTemplate): {
  requestLine: string
  headers: Map<string, string>
  envelopeId: string | undefined
  payloads: string[]
} {
  const raw = template.bytes
  const headEnd = raw.indexOf('\r\n\r\n')
  const [requestLine = '', ...lines] = raw.toString('latin1', 0, headEnd).split('\r\n')
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  let body = raw.subarray(headEnd + 4)
  if (headers.get('transfer-encoding') === 'chunked') {
    const sizeEnd = body.indexOf('\r\n')
    const size = Number.parseInt(body.toString('latin1', 0, sizeEnd), 16)
    expect(body.toString('latin1', sizeEnd + 2 + size)).toBe('\r\n0\r\n\r\n')
    body = body.subarray(sizeEnd + 2, sizeEnd + 2 + size)
  } else {
    expect(Number(headers.get('content-length'))).toBe(body.length)
  }
  if (headers.get('content-encoding') === 'gzip') body = gunzipSync(body)

  const lineEnd = body.indexOf(10)
  const header = JSON.parse(body.toString('utf8', 0, lineEnd)) as { event_id?: string }
  const payloads: string[] = []
  let at = lineEnd + 1
  while (at < body.length) {
    const end = body.indexOf(10, at)
    const item = JSON.parse(body.toString('utf8', at, end)) as { type: string; length?: number }
    expect(item.type).toBe('event')
    const length = item.length ?? body.length - end - 1
    payloads.push(body.toString('utf8', end + 1, end + 1 + length))
    at = end + 1 + length + (item.length === undefined ? 0 : 1)
  }
  return { requestLine, headers, envelopeId: header.event_id, payloads }
}

describe.each(workloadKinds)('workload %s', (kind) => {
  const shape = workloadShapes[kind]
  const templates = buildWorkload({ ...options, kind })

  test('every request is valid HTTP with a valid envelope of the nominal size', () => {
    for (const template of templates) {
      const request = readRequest(template)
      expect(request.requestLine).toMatch(/^POST \/api\/42\/envelope\/\?\S+ HTTP\/1\.1$/)
      expect(request.payloads).toHaveLength(shape.eventsPerRequest)
      for (const payload of request.payloads) {
        expect(Math.abs(Buffer.byteLength(payload) - shape.eventBytes)).toBeLessThanOrEqual(
          shape.eventBytes * 0.05,
        )
      }
    }
  })

  test('patching changes only the id in header and payload', () => {
    let counter = 123_456
    for (const template of templates) {
      patchRequest(template, counter)
      const first = readRequest(template)
      const wanted = Array.from({ length: shape.eventsPerRequest }, (_, event) =>
        eventIdOf(runId, counter + event),
      )
      const events = first.payloads.map((payload) => JSON.parse(payload) as SentEvent)
      expect(events.map((event) => event.event_id)).toEqual(wanted)
      if (shape.eventsPerRequest === 1) expect(first.envelopeId).toBe(wanted[0])

      counter += 1_000_003
      patchRequest(template, counter)
      const second = readRequest(template)
      const blank = (payload: string, event: number, from: number) =>
        payload.replaceAll(eventIdOf(runId, from + event), 'ID')
      expect(second.payloads.map((payload, event) => blank(payload, event, counter))).toEqual(
        first.payloads.map((payload, event) => blank(payload, event, counter - 1_000_003)),
      )
    }
  })

  test('the share of compressed requests matches the shape', () => {
    const compressed = templates.filter((template) => template.crc !== undefined).length
    expect(compressed).toBe(shape.gzipEvery === 0 ? 0 : shape.templateCount / shape.gzipEvery)
  })

  test('the same seed produces the same bytes, and another seed produces others', () => {
    const bytes = (seed: number) =>
      Buffer.concat(buildWorkload({ ...options, kind, seed }).map((template) => template.bytes))
    expect(bytes(7).equals(bytes(7))).toBe(true)
    expect(bytes(8).equals(bytes(7))).toBe(false)
  })

  test('the events belong to a bounded number of issues with different frames', () => {
    const issues = new Set<string>()
    for (const template of templates) {
      for (const payload of readRequest(template).payloads) {
        const [exception] = (JSON.parse(payload) as SentEvent).exception.values
        const own = exception!.stacktrace.frames.filter((frame) => frame.in_app)
        issues.add([exception!.type, ...own.map((frame) => frame.function)].join(' '))
      }
    }
    expect(issues.size).toBe(workloadIssueCount)
  })
})
