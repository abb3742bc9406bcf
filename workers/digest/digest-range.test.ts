import { describe, expect, test } from 'vitest'
import type { RecordKind } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { digestRange } from './digest-range.ts'
import type { RangeFrame } from './range.ts'

const buffersOf = (bytes: number) => ({ take: () => Buffer.alloc(bytes) })

const receivedAtMs = Date.UTC(2026, 10, 20, 12, 30)
const instanceId = `${'0'.repeat(31)}1`

interface TestRecord {
  readonly kind?: RecordKind
  readonly id: number
  readonly payload: string | Uint8Array
  readonly component?: string
  readonly leaseNo?: number
  readonly receivedAtMs?: number
}

function frame(streamSeq: number, records: readonly TestRecord[]): RangeFrame {
  const writer = new FrameWriter(0, buffersOf(1024))
  for (const { kind = 'event', id, payload, component, ...charged } of records) {
    const recordId = Buffer.alloc(16)
    recordId.writeUInt32BE(id, 12)
    writer.append({
      kind,
      projectId: 1 as ProjectId,
      dsnKeyNo: 7 as DsnKeyNo,
      receivedAtMs,
      ...charged,
      recordId,
      headerJson: component === undefined ? '' : JSON.stringify({ component }),
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
    })
  }
  return { streamSeq, bytes: writer.finish({ instanceId, partition: 0, counter: streamSeq }) }
}

const settings = { partition: 0, generation: 1, retentionDays: 90 }

function digest(frames: readonly RangeFrame[]) {
  return digestRange({ ...settings, frames })
}

function event(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({ exception: { values: [{ type: 'Boom', value: 'no' }] }, ...fields })
}

test('records of a deleted project leave nothing, not even an outcome', () => {
  const payloads: readonly (readonly [RecordKind, string])[] = [
    ['event', event()],
    ['event', 'no JSON'],
    ['session', JSON.stringify({ sid: 'a'.repeat(32), attrs: { release: 'a@1' } })],
    ['check_in', JSON.stringify({ monitor_slug: 'a', status: 'ok' })],
    [
      'client_report',
      JSON.stringify({ discarded_events: [{ reason: 'x', category: 'error', quantity: 1 }] }),
    ],
    ['feedback', JSON.stringify({ contexts: { feedback: { message: 'hello' } } })],
    ['outcomes', 'no counts'],
  ]
  const records = payloads.map(([kind, payload], id) => ({ kind, id, payload, leaseNo: 3 }))
  const frames = [frame(1, records)]
  const deleted = [[1 as ProjectId, { deleted: true }]] as const
  const output = digestRange({ ...settings, frames, projectSettings: deleted })
  const { minutes, ...rest } = output
  const empty = digestRange({ ...settings, frames: [] })
  expect(rest).toEqual({ ...empty, minutes: undefined })
  expect(minutes).toHaveLength(1)
  expect(digest(frames).outcomeCount).toBeGreaterThan(3)
})

describe('what decides about the state of an issue', () => {
  const hourMs = 3_600_000

  test('releases have their latest receipt, events without one included', () => {
    const [sum] = digest([
      frame(1, [
        { id: 1, payload: event({ release: 'a@2' }), receivedAtMs: receivedAtMs + 5 },
        { id: 2, payload: event({ release: 'a@1' }) },
        { id: 3, payload: event({ release: 'a@2' }) },
        { id: 4, payload: event() },
      ]),
    ]).issues
    expect(sum?.releases).toEqual([
      { version: 'a@2', lastReceivedMs: receivedAtMs + 5 },
      { version: 'a@1', lastReceivedMs: receivedAtMs },
      { version: '', lastReceivedMs: receivedAtMs },
    ])
  })

  test('an issue names at most 32 releases, and counts all events', () => {
    const records = Array.from({ length: 50 }, (_, id) => ({
      id,
      payload: event({ release: `a@${id}` }),
      receivedAtMs: receivedAtMs + id,
    }))
    const [sum] = digest([frame(1, records)]).issues
    expect([sum?.releases.length, sum?.eventCount, sum?.hourCount]).toEqual([32, 50, 50])
  })

  test('events are counted for the latest hour only, in any order', () => {
    const times = [0, hourMs, 0, hourMs, hourMs, -hourMs]
    const records = times.map((ms, id) => ({
      id,
      payload: event(),
      receivedAtMs: receivedAtMs + ms,
    }))
    expect(digest([frame(1, records)]).issues).toMatchObject([
      { eventCount: 6, hourCount: 3, lastReceivedMs: receivedAtMs + hourMs },
    ])
  })

  test('owners are those of the first event, and users are counted once', () => {
    const frames = [
      frame(1, [
        { id: 1, payload: event({ tags: { area: 'cart' }, user: { id: 'a' } }) },
        { id: 2, payload: event({ tags: { area: 'pay' }, user: { id: 'b' } }) },
        { id: 3, payload: event({ user: { id: 'a' } }) },
      ]),
    ]
    const projectId = 1 as ProjectId
    const ownership = 'tags.area:cart #cart\ntags.area:pay #pay'
    const issueRules = [{ projectId, ownership, countsUsers: true }]
    const ruled = digestRange({ ...settings, frames, issueRules })
    expect(ruled.issues).toMatchObject([{ owners: ['#cart'] }])
    expect(ruled.issues[0]?.users).toHaveLength(2)
    const plain = digestRange({ ...settings, frames })
    expect(plain.issues).toMatchObject([{ owners: [], users: [] }])
    // No row depends on the rules.
    expect(ruled.eventRows).toEqual(plain.eventRows)
  })
})

describe('digesting a range', () => {
  test('events of one error are one sum with their count and the latest title', () => {
    const output = digest([
      frame(1, [
        { id: 1, payload: event({ timestamp: receivedAtMs / 1000 - 5, release: 'a@1' }) },
        { id: 2, payload: event({ timestamp: receivedAtMs / 1000 - 9, release: 'a@0' }) },
      ]),
      frame(4, [{ id: 3, payload: event({ timestamp: receivedAtMs / 1000 - 1, level: 'fatal' }) }]),
    ])
    expect(output.eventCount).toBe(3)
    expect(output.issues).toHaveLength(1)
    expect(output.issues[0]).toMatchObject({
      projectId: 1,
      eventCount: 3,
      title: 'Boom: no',
      level: 'fatal',
      firstSeenMs: receivedAtMs - 9_000,
      lastSeenMs: receivedAtMs - 1_000,
      firstRelease: 'a@0',
      lastRelease: 'a@1',
    })
    expect(output.releases.map(({ version, eventCount }) => [version, eventCount])).toEqual([
      ['a@1', 1],
      ['a@0', 1],
    ])
    expect(JSON.parse(output.issues[0]?.explanation ?? '')).toMatchObject({ algorithm: 'g1' })
  })

  test('different errors are different sums', () => {
    const other = event({ exception: { values: [{ type: 'Other', value: 'no' }] } })
    const output = digest([
      frame(1, [
        { id: 1, payload: event() },
        { id: 2, payload: other },
      ]),
    ])
    expect(output.issues.map(({ title }) => title)).toEqual(['Boom: no', 'Other: no'])
  })

  test('only the record that is not JSON is rejected', () => {
    const output = digest([
      frame(1, [
        { id: 1, payload: '{"message":' },
        { id: 2, payload: event() },
      ]),
    ])
    expect(output.eventCount).toBe(1)
    expect(output.outcomeCount).toBe(2)
    expect(Buffer.from(output.outcomeRows).toString('latin1')).toContain('invalid_json')
    expect(output.deadLetters).toEqual([])
  })

  test('a transaction sent as an event is counted and not stored', () => {
    const payload = event({ type: 'transaction', spans: [] })
    const output = digest([frame(1, [{ id: 1, payload }])])
    expect(output).toMatchObject({ eventCount: 0, issues: [], outcomeCount: 1 })
    expect(Buffer.from(output.outcomeRows).toString('latin1')).toContain('unsupported:transaction')
  })

  test('counts that ingest sends are added to the outcomes', () => {
    const counts = [
      { outcome: 'unsupported', reason: 'unsupported:span', category: 'span', quantity: 3 },
    ]
    const output = digest([
      frame(1, [{ kind: 'outcomes', id: 1, payload: JSON.stringify(counts), component: 'worker' }]),
    ])
    expect(output.eventCount).toBe(0)
    expect(output.outcomeCount).toBe(1)
    expect(Buffer.from(output.outcomeRows).toString('latin1')).toContain('unsupported:span')
  })

  test('invalid counts become a dead letter and change no outcome', () => {
    const output = digest([
      frame(1, [
        { kind: 'outcomes', id: 1, payload: '[{"outcome":"lost"}]' },
        { id: 2, payload: event() },
      ]),
    ])
    expect(output.eventCount).toBe(1)
    expect(output.deadLetters).toMatchObject([
      { streamSeq: 1, recordIndex: 0, projectId: 1, reason: 'undigestible' },
    ])
  })

  test('a damaged frame becomes one dead letter, and the next one is digested', () => {
    const damaged = frame(1, [{ id: 1, payload: event() }])
    damaged.bytes[60]! ^= 1
    const output = digest([damaged, frame(2, [{ id: 2, payload: event() }])])
    expect(output.eventCount).toBe(1)
    expect(output.deadLetters).toMatchObject([
      { streamSeq: 1, recordIndex: -1, reason: 'unreadable_frame', detail: 'the CRC differs' },
    ])
  })

  test('the same frames give the same bytes at any time', () => {
    const frames = [
      frame(1, [
        { id: 1, payload: event({ timestamp: 'nonsense', user: { ip_address: '{{auto}}' } }) },
      ]),
      frame(2, [{ id: 2, payload: event({ message: 'again', tags: { b: 1, a: true } }) }]),
    ]
    const first = digest(frames)
    const second = digest(frames)
    expect(Buffer.from(second.eventRows).equals(first.eventRows)).toBe(true)
    expect(Buffer.from(second.outcomeRows).equals(first.outcomeRows)).toBe(true)
    expect(second.issues).toEqual(first.issues)
  })

  test('a duplicate is counted and leaves no row', () => {
    const frames = [
      frame(1, [
        { id: 1, payload: event() },
        { id: 2, payload: '{"message":' },
      ]),
      frame(2, [{ id: 3, payload: event() }]),
    ]
    const output = digestRange({ ...settings, frames, duplicates: Uint32Array.of(1, 512) })
    expect(output).toMatchObject({ eventCount: 1, duplicateCount: 2, outcomeCount: 2 })
    expect(output.issues[0]?.eventCount).toBe(1)
    const alone = digest([frame(1, [{ id: 1, payload: event() }])])
    expect(Buffer.from(output.eventRows).equals(alone.eventRows)).toBe(true)
    expect(Buffer.from(output.outcomeRows).toString('latin1')).toContain('duplicate')
    expect(Buffer.from(output.outcomeRows).toString('latin1')).not.toContain('invalid_json')
  })

  test('records and accepted events are counted by lease', () => {
    const nextMonth = Date.UTC(2026, 11, 1)
    const ok = event()
    const frames = [
      frame(1, [
        { id: 1, payload: ok, leaseNo: 2 ** 40 },
        { id: 2, payload: ok, leaseNo: 2 ** 40, receivedAtMs: nextMonth },
        { id: 3, payload: '{', leaseNo: 2 ** 40 },
        { id: 4, payload: event({ type: 'transaction' }), leaseNo: 7 },
        { id: 5, payload: ok },
        { id: 6, payload: ok, receivedAtMs: nextMonth },
        { id: 7, payload: ok, receivedAtMs: nextMonth - 1 },
        { id: 8, payload: '[]', kind: 'outcomes', leaseNo: 9 },
      ]),
    ]
    const output = digestRange({ ...settings, frames, duplicates: Uint32Array.of(4) })
    const november = { projectId: 1, receivedMonth: '2026-11-01' }
    expect(output.leases).toEqual([
      { ...november, leaseNo: 2 ** 40, records: 3, accepted: 2 },
      { ...november, leaseNo: 7, records: 1, accepted: 0 },
      { ...november, leaseNo: 0, records: 2, accepted: 1 },
      { projectId: 1, receivedMonth: '2026-12-01', leaseNo: 0, records: 1, accepted: 1 },
    ])
  })

  test('a record that is set aside is rejected without being read, and its bytes are kept', () => {
    const frames = [
      frame(1, [{ id: 1, payload: event() }]),
      frame(2, [
        { id: 2, payload: event() },
        { id: 3, payload: event(), leaseNo: 5 },
      ]),
    ]
    const output = digestRange({ ...settings, frames, setAside: [513] })
    expect(output.eventCount).toBe(2)
    expect(output.deadLetters).toMatchObject([
      { streamSeq: 2, recordIndex: 1, projectId: 1, reason: 'undigestible' },
    ])
    expect(output.leases).toContainEqual(
      expect.objectContaining({ leaseNo: 5, records: 1, accepted: 0 }),
    )
    expect(Buffer.from(output.outcomeRows).toString('latin1')).toContain('undigestible')
  })

  test('a time of receipt outside the calendar does not break the range', () => {
    const payload = event()
    const records = [0, 2 ** 48 - 1].map((receivedAtMs, id) => ({ id, payload, receivedAtMs }))
    const output = digestRange({
      ...settings,
      frames: [frame(1, [...records, { id: 9, payload }, { id: 8, payload }])],
      issueEventsPerMinute: [[1 as ProjectId, 1]],
    })
    expect(output).toMatchObject({ eventCount: 4, deadLetters: [] })
    expect(output.leases.map(({ receivedMonth }) => receivedMonth)).toEqual([
      '1970-01-01',
      '2106-02-01',
      '2026-11-01',
    ])
  })

  test('an empty range is empty', () => {
    expect(digest([])).toMatchObject({ eventCount: 0, outcomeCount: 0, issues: [], releases: [] })
  })
})
