import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { normalizeEvent } from '../../normalize/normalize-event.ts'
import type { StoredEvent } from '../../normalize/stored-event.ts'
import { asSent } from '../../requests/as-sent.ts'
import { stackNames } from '../../rows/stacks.ts'
import { groupEvent, groupRuled } from '../group-v1.ts'
import { GroupingRules } from './grouping-rules.ts'
import { storeRuledFrames } from './store-ruled-frames.ts'

function normalize(payload: Uint8Array): NormalizedEvent {
  const eventId = '9ec79c33ec9942ab8353589fcb2e04dc' as EventId
  const normalized = normalizeEvent({ payload, eventId, receivedAtMs: Date.UTC(2026, 10, 21) })
  if (normalized.kind !== 'event') throw new Error(`the event is ${normalized.kind}`)
  return normalized.event
}
const rulesOf = (text: string) => {
  const rules = GroupingRules.of({ fingerprint_rules: '', stack_trace_rules: text })
  if (rules === undefined) throw new Error('no rules')
  return rules
}
const store = (event: NormalizedEvent, text: string) =>
  storeRuledFrames(event, rulesOf(text).apply(event))
const bytesOf = (sent: unknown) => Buffer.from(JSON.stringify(sent))
const framesOf = (event: NormalizedEvent) =>
  (JSON.parse(event.payload) as StoredEvent).exception!.values.flatMap(
    ({ stacktrace }) => stacktrace?.frames ?? [],
  )

const sent = {
  platform: 'python',
  exception: {
    values: [
      {
        type: 'KeyError',
        value: 'x',
        stacktrace: {
          frames: [
            { function: 'run', module: 'app.main', in_app: true, vars: { a: 1 } },
            { function: 'get', module: 'acme.store', in_app: false },
            { function: 'find', module: 'acme.index' },
            { function: 'read', module: 'other', in_app: false },
          ],
        },
      },
    ],
  },
}

test('frames are stored as the rules say, with what the client sent', () => {
  const event = store(normalize(bytesOf(sent)), 'module:acme.* +app\nmodule:app.* -app')
  expect(framesOf(event)).toMatchObject([
    { function: 'run', in_app: false, orig_in_app: true, vars: { a: 1 } },
    { function: 'get', in_app: true, orig_in_app: false },
    { function: 'find', in_app: true, orig_in_app: null },
    { function: 'read', in_app: false },
  ])
  expect(framesOf(event)[3]).not.toHaveProperty('orig_in_app')
})

test('the row and what alert rules read say the same', () => {
  const before = normalize(bytesOf(sent))
  const onlyLibraries = { ...sent.exception.values[0]!.stacktrace }
  onlyLibraries.frames = onlyLibraries.frames.slice(1)
  const libraries = normalize(
    bytesOf({ ...sent, exception: { values: [{ type: 'E', stacktrace: onlyLibraries }] } }),
  )
  expect(stackNames(before)?.inApp).toBe('yes')
  expect(stackNames(store(before, 'module:app.* -app'))?.inApp).toBe('no')
  expect(stackNames(libraries)?.inApp).toBe('no')
  const ruled = store(libraries, 'module:acme.* +app')
  expect(stackNames(ruled)?.inApp).toBe('yes')
  expect(ruled.inPayload).toEqual(JSON.parse(ruled.payload))
})

test('the frames of threads and of the event itself are stored as the rules say', () => {
  const frames = [{ function: 'get', module: 'acme.store', in_app: false }]
  const event = store(
    normalize(
      bytesOf({
        platform: 'python',
        stacktrace: { frames },
        threads: { values: [{ id: 1, crashed: true, stacktrace: { frames } }, { id: 2 }] },
      }),
    ),
    'module:acme.* +app',
  )
  const { stacktrace, threads } = JSON.parse(event.payload) as StoredEvent
  const want = [{ in_app: true, orig_in_app: false }]
  expect(stacktrace?.frames).toMatchObject(want)
  expect(threads?.values[0]?.stacktrace?.frames).toMatchObject(want)
})

test.each([
  ['no rule matches', 'module:nothing +app'],
  ['a rule says what the client says', 'module:acme.store -app'],
  ['a rule is about grouping alone', 'module:acme.* -group'],
])('the payload stays the same if %s', (_name, text) => {
  const event = normalize(bytesOf(sent))
  expect(store(event, text).payload).toBe(event.payload)
})

test('a client cannot send what it is said to have sent', () => {
  const [value] = sent.exception.values
  const frames = [{ function: 'get', module: 'acme.store', in_app: true, orig_in_app: false }]
  const event = normalize(
    bytesOf({ ...sent, exception: { values: [{ ...value, stacktrace: { frames } }] } }),
  )
  expect(event.payload).not.toContain('orig_in_app')
})

const names = fc.constantFrom('app.main', 'acme.store', 'acme.index', 'lib.x', '')
const frame = fc.record(
  {
    function: fc.constantFrom('run', 'get', 'find', '?'),
    module: names,
    in_app: fc.constantFrom<unknown>(true, false, null, 'yes'),
    vars: fc.constantFrom({ orig_in_app: 1 }, { a: 'x'.repeat(3000) }),
  },
  { requiredKeys: [] },
)
const stack = fc.record({ frames: fc.array(frame, { maxLength: 8 }) })
const rule = fc
  .tuple(fc.constantFrom('module:app.*', 'module:acme.*', 'app:yes', 'function:get'), names)
  .chain(([matcher]) =>
    fc
      .constantFrom('+app', '-app', '^-app', 'v+app', '-group')
      .map((action) => `${matcher} ${action}`),
  )

test('rules are tried on a stored event as on the event that was sent', () => {
  fc.assert(
    fc.property(
      fc.array(stack, { minLength: 1, maxLength: 3 }),
      fc.array(rule, { minLength: 1, maxLength: 4 }),
      fc.array(rule, { minLength: 1, maxLength: 4 }),
      (stacks, rules, tried) => {
        const event = normalize(
          bytesOf({
            platform: 'python',
            exception: { values: stacks.map((stacktrace) => ({ type: 'E', stacktrace })) },
            threads: { values: [{ id: 1, crashed: true, stacktrace: stacks[0] }] },
          }),
        )
        const ruled = rulesOf(rules.join('\n')).apply(event)
        const stored = storeRuledFrames(event, ruled)
        expect(groupRuled(event, ruled).hashes).toEqual(
          groupEvent(event, rulesOf(rules.join('\n'))).hashes,
        )
        const again = normalize(asSent(Buffer.from(stored.payload)))
        expect(framesOf(again)).toEqual(framesOf(event))
        const other = rulesOf(tried.join('\n'))
        const grouped = groupEvent(event, other)
        expect(groupEvent(again, other).hashes).toEqual(grouped.hashes)
        expect(groupEvent(again, other).explain()).toEqual(grouped.explain())
      },
    ),
    { seed: 20_261_128, numRuns: 100 },
  )
})

test('rules also mark the frames of a crash below the handler of its signal', () => {
  const frames = ['0x10', '0x20', '0x30'].map((instruction_addr, index) => ({
    function: `f${index}`,
    instruction_addr,
    in_app: true,
  }))
  const stacktrace = { frames, registers: { rip: '0x20' } }
  const crash = { platform: 'native', exception: { values: [{ type: 'SIGSEGV', stacktrace }] } }
  const event = store(normalize(bytesOf(crash)), 'function:f* -app')
  expect(framesOf(event)).toMatchObject([
    { function: 'f0', in_app: false, orig_in_app: true },
    { function: 'f1', in_app: false, orig_in_app: true },
    { function: 'f2', in_app: true },
  ])
  expect(framesOf(event)[2]).not.toHaveProperty('orig_in_app')
})
