/**
 * A query means the same in memory as for ClickHouse: generated events are stored as rows, and
 * generated queries find the same ones in both ways.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { DsnKeyNo, EventId, ProjectId } from '#schemas/ids.ts'
import { parseRelease } from '#schemas/releases/compare-releases.ts'
import { parseSearch } from '#schemas/search/search-query.ts'
import { eventSearch } from '../../../api/search/event-search.ts'
import { factsAt } from '../../../api/search/search-facts.ts'
import { startStores, type TestStores } from '../../../test/fixtures/processes/stores.ts'
import { hashOf } from '../../../test/fixtures/workers/range-output.ts'
import { groupEvent } from '../../grouping/group-v1.ts'
import { normalizeEvent } from '../../normalize/normalize-event.ts'
import { writeEventRow, writeSampledEvents } from '../../rows/event-row.ts'
import { RowBinaryWriter } from '../../rows/row-binary.ts'
import { insertRows } from '../../rows/row-store.ts'
import { Stacks } from '../../rows/stacks.ts'
import { compileQuery } from './compile-query.ts'
import { eventLists, eventTexts, eventTimes, GroupedEvent } from './event-text.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const seed = 18
const eventCount = 150
const queryCount = 250
const queriesAtOnce = 25

/** Few and short, so that queries find events; of both cases, with stars and hostile ones. */
const words = [
  '',
  'a',
  'A',
  'ab',
  'Größe',
  'GRÖẞE',
  'größe',
  'Straße',
  '%',
  '_',
  'a%b',
  '\\',
  'a\\b',
  '*',
  'a*b',
  '"',
  'Боб',
  'боб',
  '🦆',
  ' a ',
  'null',
  'tags',
  'ΣΣ',
  'a\nb',
]
const word = fc.constantFrom(...words)
const field = fc.constantFrom(...eventTexts.keys(), ...eventLists.keys())
/** ClickHouse looks for a part of a text in another way, and finds no ẞ, whose ß is shorter. */
const part = word.filter((text) => text.trim() !== '' && !text.includes('ẞ'))
const tagKey = fc.constantFrom('queue', 'level', 'my key', 'release', '__proto__')

const sent = fc.record(
  {
    level: fc.constantFrom('fatal', 'error', 'warning', 'info', 'debug', 'odd'),
    release: fc.oneof(word, fc.constantFrom('app@1.2.0', 'app@1.10.0+7', 'b@2.0.0-rc.1')),
    dist: word,
    environment: word,
    platform: fc.constantFrom('node', 'python', 'other'),
    logger: word,
    server_name: word,
    transaction: word,
    message: word,
    timestamp: fc.integer({ min: nowMs / 1000 - 90_000, max: nowMs / 1000 }),
    exception: fc.record({
      values: fc.array(
        fc.record(
          {
            type: word,
            value: word,
            mechanism: fc.record({ type: word, handled: fc.constantFrom(true, false, null) }),
            stacktrace: fc.record({
              frames: fc.array(
                fc.record(
                  {
                    ...{ function: word, filename: word, abs_path: word, module: word },
                    ...{
                      package: word,
                      in_app: fc.constantFrom(true, false, null),
                      lineno: fc.nat(),
                    },
                  },
                  { requiredKeys: ['function'] },
                ),
                { maxLength: 2 },
              ),
            }),
          },
          { requiredKeys: ['type', 'value'] },
        ),
        { maxLength: 2 },
      ),
    }),
    user: fc.record(
      { id: word, email: word, username: word, ip_address: fc.constantFrom('', '10.0.0.1') },
      { requiredKeys: [] },
    ),
    tags: fc.dictionary(tagKey, word, { maxKeys: 3 }),
    request: fc.record({
      url: word.map((text) => `https://shop.test/${text}`),
      method: fc.constantFrom('get', 'POST'),
    }),
    contexts: fc.record(
      {
        trace: fc.record({ trace_id: word }),
        response: fc.record({ status_code: fc.constantFrom(200, 404, '500', '5x') }),
        os: fc.record({ version: word, name: fc.oneof(word, fc.integer(), fc.constant(null)) }),
        browser: fc.record({ name: word }),
        device: fc.oneof(fc.record({ model: word, family: word, brand: word, arch: word }), word),
        runtime: fc.record({ name: fc.oneof(word, fc.array(word)) }),
      },
      { requiredKeys: [] },
    ),
    sdk: fc.record({ name: word, version: fc.constantFrom('1', '2') }),
  },
  { requiredKeys: ['timestamp'] },
)

const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
const pattern = fc.oneof(
  word.map(quoted),
  fc
    .tuple(word, word)
    .map(([a, b]) => `"${[a, b].map((part) => part.replace(/[\\"*]/g, '\\$&')).join('*')}"`),
)
const time = fc.constantFrom(
  '2026-11-20',
  '2026-11-19T23:00:00Z',
  '-2h',
  '+3h',
  '-1d',
  '2026-11-20T10:00:00.5+02:00',
)
const other = fc.constantFrom(
  'release:>=app@1.2',
  'release:<1.9',
  'release.version:1.2..1.9',
  'release.version:1.10.*',
  'release.package:b',
  'release.build:>5',
  'error.handled:true',
  'error.unhandled:yes',
  'error.main_thread:0',
  'stack.in_app:true',
  'stack.in_app:no',
  'http.status_code:400..499',
  'http.status_code:>=500',
  'http.status_code:2*',
  'has:stack.function',
  'has:error.value',
  'has:error.handled',
  'has:release.version',
  'timestamp:2026-11-19T23:00:00Z..-2h',
)
const releases = {
  facts: {},
  releases: [...words, 'app@1.2.0', 'app@1.10.0+7', 'b@2.0.0-rc.1'].map((version) => ({
    version: version.trim(),
    parsed: parseRelease(version.trim()),
  })),
}
const operator = fc.constantFrom('', '=', '>', '>=', '<', '<=')
const term = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(field, pattern).map(([name, value]) => `${name}:${value}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(tagKey, pattern)
      .map(([name, value]) => `tags[${name.replace(' ', '_')}]:${value}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(field, fc.array(pattern, { minLength: 1, maxLength: 3 }))
      .map(([name, values]) => `${name}:[${values.join(', ')}]`),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(field, tagKey, fc.constant('received'))
      .map((name) => `has:${quoted(name)}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...eventTimes.keys()), operator, time)
      .map((parts) => `${parts[0]}:${parts[1]}${parts[2]}`),
  },
  { weight: 4, arbitrary: other },
  { weight: 2, arbitrary: part.map((text) => `message:${quoted(text)}`) },
  { weight: 2, arbitrary: part.map(quoted) },
)
const signed = (arbitrary: fc.Arbitrary<string>) =>
  fc.tuple(fc.boolean(), arbitrary).map(([isNegated, text]) => `${isNegated ? '!' : ''}${text}`)
const terms = fc
  .array(fc.tuple(fc.constantFrom(' ', ' AND ', ' OR '), signed(term)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) => all.map(([joint, text], index) => (index === 0 ? '' : joint) + text).join(''))
const query = fc.oneof(
  terms,
  fc.tuple(signed(terms.map((text) => `(${text})`)), terms).map((both) => both.join(' OR ')),
)

let stores: TestStores
let clickhouse: ClickHouseClient

beforeAll(async () => {
  stores = await startStores()
  clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
})

afterAll(async () => {
  await clickhouse?.close()
  await stores?.stop()
})

function eventOf(payload: object, index: number): GroupedEvent {
  const normalized = normalizeEvent({
    payload: Buffer.from(JSON.stringify(payload)),
    eventId: hashOf(`event ${index}`) as EventId,
    receivedAtMs: nowMs,
    component: index % 2 === 0 ? 'worker' : 'a',
  })
  if (normalized.kind !== 'event') throw new Error(`the event is ${normalized.kind}`)
  return new GroupedEvent(normalized.event, groupEvent(normalized.event))
}

test('a query finds the same events in memory and in ClickHouse', async () => {
  const events = fc.sample(sent, { numRuns: eventCount, seed }).map(eventOf)
  const row = new RowBinaryWriter(1 << 20)
  const stacks = new Stacks()
  for (const [index, { event, grouping }] of events.entries()) {
    const projectId = 1 as ProjectId
    const position = {
      ...{ projectId, dsnKeyNo: 1 as DsnKeyNo, retentionDays: 900, partition: 0 },
      ...{ generation: 1, streamSeq: index, recordIndex: 0 },
    }
    const stack = stacks.take(projectId, grouping.hashes[0].hash, event)
    writeEventRow(row, event, { grouping, position, stack })
    writeSampledEvents(row, { ids: [], receivedAtMs: [] })
  }
  await insertRows(clickhouse, { table: 'events', rows: row.finish(), token: 'generated' })

  const texts = fc.sample(query, { numRuns: queryCount, seed })
  let found = 0
  for (let start = 0; start < texts.length; start += queriesAtOnce) {
    const some = texts.slice(start, start + queriesAtOnce)
    const searched = await Promise.all(some.map(search))
    for (const [index, text] of some.entries()) {
      const matches = compileQuery(text)
      const inMemory =
        typeof matches === 'function'
          ? events.flatMap((each, no) => (matches(each, { spend: () => undefined }) ? no : []))
          : 'refused'
      expect(inMemory, text).toEqual(searched[index])
      if (inMemory !== 'refused' && inMemory.length > 0 && inMemory.length < eventCount) found += 1
    }
  }
  // Otherwise the queries would tell nothing.
  expect(found).toBeGreaterThan(queryCount / 3)
})

async function search(text: string): Promise<readonly number[] | 'refused'> {
  const parsed = parseSearch(text)
  if (parsed.kind === 'error') return 'refused'
  let conditions: ReturnType<typeof eventSearch>
  try {
    conditions = eventSearch(parsed.terms, { ...factsAt(nowMs), releases })
  } catch {
    return 'refused'
  }
  const result = await clickhouse.query({
    query: `select toUInt32(stream_seq) as no from events where ${conditions.conditions.join(' and ') || '1'} order by no`,
    query_params: { ...conditions.parameters, project: 1 },
    format: 'JSONEachRow',
  })
  return (await result.json<{ no: number }>()).map(({ no }) => no)
}
