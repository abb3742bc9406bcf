/** Items that cost no quota, from the request to the records on the broker. */
import { describe, expect, test } from 'vitest'
import type { RecordView } from '#schemas/bus/frame.ts'
import { monitorPartitionKey } from '#schemas/bus/monitor-partition-key.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { envelopePath, id, oneEvent, serveTests } from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()
const sentAt = '2026-11-20T23:01:47.186Z'
const sid = '4f12bc7c670d4a20856b0590f73b51de'
const sums =
  '{"aggregates":[{"started":"2026-11-20T23:01:00Z","exited":1}],"attrs":{"release":"r"}}'

function textOf({ payload }: RecordView): string {
  return Buffer.from(payload).toString()
}

/** Returns the records of one request with these items and this envelope header. */
async function recordsOf(header: object, ...items: (readonly [string, string])[]) {
  server.frames.length = 0
  const lines = items.map(([type, payload]) => `{"type":"${type}"}\n${payload}\n`)
  const reply = await server.post(envelopePath, `${JSON.stringify(header)}\n${lines.join('')}`)
  expect(reply.status).toBe(200)
  return server.records()
}

async function idsOf(header: object, ...items: (readonly [string, string])[]) {
  return (await recordsOf(header, ...items)).map(({ recordId }) => recordId).sort()
}

// biome-ignore format: the columns are the point
test.each([
  ['session',       'session',       {}],
  ['sessions',      'session',       { item: 'sessions' }],
  ['check_in',      'check_in',      {}],
  ['client_report', 'client_report', {}],
  ['feedback',      'feedback',      { envelope_id: id }],
  ['user_report',   'feedback',      { item: 'user_report', envelope_id: id }],
] as const)('an item of type %s becomes a record of kind %s', async (type, kind, header) => {
  const [record, ...others] = await recordsOf({ event_id: id, sent_at: sentAt }, [type, '{"a":1}'])
  expect(record).toMatchObject({ kind, projectId: 42, dsnKeyNo: 1, leaseNo: 0 })
  expect(record?.header).toEqual({ client: 'sentry.js/10', sdk: 'sentry.js', sent_at: sentAt, ...header })
  expect(textOf(record!)).toBe('{"a":1}')
  expect(others).toEqual([])
})

test('two feedback items do not share the id of their envelope', async () => {
  const records = await recordsOf({ event_id: id }, ['feedback', '{}'], ['feedback', '{"a":1}'])
  expect(records.map(({ header }) => header.envelope_id)).toEqual([undefined, undefined])
})

test('an event over quota does not affect the other items', async () => {
  const { path } = server.project({ monthlyEvents: 0 })
  const body = `${oneEvent}\n{"type":"session"}\n{"sid":"${sid}"}\n{"type":"check_in"}\n{}`
  expect(await server.post(path, body)).toMatchObject({ status: 429 })
  const kinds = server.records().map(({ kind }) => kind)
  expect(kinds.sort()).toEqual(['check_in', 'outcomes', 'session'])
  expect(server.outcomes()).toEqual(['over_quota  1'])
})

describe('the id of a record', () => {
  const session = ['session', `{"sid":"${sid}"}`] as const

  test('is the same when the request is repeated', async () => {
    const items = [session, ['client_report', '{}'], ['sessions', sums]] as const
    const header = { sent_at: sentAt }
    expect(await idsOf(header, ...items)).toEqual(await idsOf(header, ...items))
  })

  test('distinguishes equal items of one envelope, in the same way each time', async () => {
    const header = { sent_at: sentAt }
    const ids = await idsOf(header, ['sessions', sums], ['sessions', sums], ['sessions', sums])
    expect(new Set(ids).size).toBe(3)
    expect(await idsOf(header, ['sessions', sums], ['sessions', sums], ['sessions', sums])).toEqual(
      ids,
    )
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['the time of sending ', { sent_at: sentAt },      { sent_at: '2026-11-20T23:01:47.187Z' }],
    ['the id              ', { event_id: id },         { event_id: id.replace('5', '6') }],
    ['one without either  ', { sent_at: sentAt },      {}],
  ])('differs between equal items of envelopes that differ in %s', async (_name, left, right) => {
    expect(await idsOf(left, session)).not.toEqual(await idsOf(right, session))
  })

  test('differs between types with equal bytes', async () => {
    const ids = await idsOf({ sent_at: sentAt }, ['feedback', '{}'], ['user_report', '{}'])
    expect(new Set(ids).size).toBe(2)
  })

  test('of session aggregates in an envelope without headers is new each time', async () => {
    expect(await idsOf({}, ['sessions', sums])).not.toEqual(await idsOf({}, ['sessions', sums]))
  })

  test('of an item in an envelope without headers depends on its sender', async () => {
    const from = async (address: string) => {
      server.frames.length = 0
      const body = `{}\n{"type":"client_report"}\n{"timestamp":1}`
      await server.post(envelopePath, body, { 'X-Forwarded-For': address })
      return server.records()[0]?.recordId
    }
    expect(await from('192.0.2.1')).toBe(await from('192.0.2.1'))
    expect(await from('192.0.2.1')).not.toBe(await from('192.0.2.2'))
  })
})

describe('one partition holds', () => {
  async function partitionsOf(...items: (readonly [string, string])[]): Promise<Set<number>> {
    await recordsOf({ event_id: id, sent_at: sentAt }, ...items)
    return new Set(server.frames.map(({ frame }) => frame.partition))
  }
  const updates = (type: string, payloadOf: (index: number) => string) =>
    Array.from({ length: 30 }, (_, index) => [type, payloadOf(index)] as const)

  test('all updates of a session, for any spelling of its id', async () => {
    const dashed = '4F12BC7C-670D-4A20-856B-0590F73B51DE'
    const payloadOf = (index: number) => `{"seq":${index},"sid":"${index % 2 ? sid : dashed}"}`
    expect((await partitionsOf(...updates('session', payloadOf))).size).toBe(1)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['case, space and escapes', ['nightly-job', 'Nightly-Job', ' nightly job', 'nightly\\u002djob', 'nightly-job/']],
    ['text of any script     ', ['łódź', 'Łódź', '\\u0142\\u00f3d\\u017a']],
    ['long slugs             ', ['a'.repeat(50), 'a'.repeat(60), 'a'.repeat(5000)]],
  ])('all check-ins of a monitor, for any spelling of its slug: %s', async (_name, slugs) => {
    const payloadOf = (index: number) =>
      `{"n":${index},"monitor_slug":"${slugs[index % slugs.length]}"}`
    const partitions = await partitionsOf(...updates('check_in', payloadOf))
    const key = monitorPartitionKey(slugs[0]!)
    expect([...partitions]).toEqual([partitionOf(42 as ProjectId, key, 0, 4)])
  })

  test('a check-in longer than any client sends, with the others of its monitor', async () => {
    const padding = 'x'.repeat(50_000)
    const payloadOf = (index: number) =>
      `{"n":${index},"a":"${padding}","monitor_slug":"Nightly job"}`
    const [partition, ...others] = await partitionsOf(['check_in', payloadOf(1)])
    expect(others).toEqual([])
    expect(partition).toBe(partitionOf(42 as ProjectId, monitorPartitionKey('nightly-job'), 0, 4))
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['session      ', 'session',       (index: number) => `{"sid":"${String(index).padStart(32, '1')}"}`],
    ['check-in     ', 'check_in',      (index: number) => `{"monitor_slug":"job ${index}"}`],
    ['no sid       ', 'session',       (index: number) => `{"seq":${index}}`],
    ['no slug      ', 'check_in',      (index: number) => `{"seq":${index}}`],
    ['client report', 'client_report', (index: number) => `{"seq":${index}}`],
  ] as const)('only some of unrelated records: %s', async (_name, type, payloadOf) => {
    expect((await partitionsOf(...updates(type, payloadOf))).size).toBe(4)
  })
})
