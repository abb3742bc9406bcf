import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventId } from '#schemas/ids.ts'
import { rulesOf } from '../../digest/project-rules.ts'
import { groupEvent } from '../../grouping/group-v1.ts'
import { Stacks } from '../../rows/stacks.ts'
import { normalizeEvent } from '../normalize-event.ts'
import { KnownFrames } from './known-frames.ts'

const rules = rulesOf({})

/** Everything that the digest reads of an event. */
function digest(text: string | Buffer, knownFrames?: KnownFrames): unknown {
  const normalized = normalizeEvent({
    payload: Buffer.from(text as string),
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: Date.UTC(2026, 10, 20),
    scrub: rules.scrub,
    ...(knownFrames === undefined ? {} : { knownFrames }),
  })
  if (normalized.kind !== 'event') return normalized
  const { event } = normalized
  const { path, hashes, title, culprit, explain } = groupEvent(event)
  const stack = new Stacks().take(1 as never, hashes[0].hash, event)
  const grouping = { path, hashes, title, culprit, explanation: explain() }
  return structuredClone({ event, grouping, stack })
}

/** A frame is seen, then known, then expected after the one before it. */
function expectSame(texts: readonly (string | Buffer)[], known = new KnownFrames()): void {
  for (let round = 0; round < 3; round += 1)
    for (const text of texts) expect(digest(text, known)).toEqual(digest(text))
}

const secret = `sk_live_${'a'.repeat(24)}`
const frames: readonly object[] = [
  { function: 'main', filename: 'app.js', in_app: true, lineno: 3 },
  { function: 'handle', module: 'shop.cart', abs_path: '/srv/shop/cart.py', context_line: '  x()' },
  { function: 'load', filename: 'node:internal/a', in_app: false, platform: 'node' },
  { function: `pay("${secret}")`, filename: 'pay.js', context_line: `key = '${secret}'` },
  { function: 'x'.repeat(400), filename: 'long.js', pre_context: ['a', 'b'], data: { a: [1] } },
  { function: 'vars', vars: { password: 'p', a: 1, frames: [{ function: 'inner' }] } },
  { function: 'nul\u0000', filename: 'ü\ud800.js' },
  { function: 7, lineno: '4', platform: 'no such' },
  { instruction_addr: '0x10', package: '/usr/lib/libc.so.6', constructor: 1 },
  {},
]
const anyFrame = fc.constantFrom(...frames)
const stack = fc.oneof(
  { weight: 16, arbitrary: fc.array(anyFrame, { maxLength: 6 }).map((list) => ({ frames: list })) },
  fc.constant({ frames: Array.from({ length: 260 }, (_, index) => frames[index % 3]) }),
  fc.constantFrom(
    null,
    [],
    {},
    { frames: null },
    { frames: 0 },
    { frames: [0] },
    { frames: [7] },
    { frames: [null] },
  ),
  fc.constant({ lang: 'frames', frames: [frames[0], 'frames', frames[1]] }),
)
const holder = fc.record(
  {
    type: fc.constant('E'),
    value: fc.constantFrom('v', 'frames'),
    stacktrace: stack,
    raw_stacktrace: stack,
  },
  { requiredKeys: [] },
)
const list = fc.array(holder, { maxLength: 3 })
const event = fc.record(
  {
    platform: fc.constantFrom('javascript', 'node', 'python', 'native'),
    exception: fc.oneof(
      list,
      list.map((values) => ({ values })),
      holder,
    ),
    threads: fc.oneof(
      list,
      list.map((values) => ({ values })),
    ),
    stacktrace: stack,
    extra: fc.record({ stacktrace: stack, exception: list }),
  },
  { requiredKeys: [] },
)

test('an event with known frames is digested as without them', () => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 1),
      (events, space) => expectSame(events.map((one) => JSON.stringify(one, undefined, space))),
    ),
    { numRuns: 80 },
  )
})

test('any byte of an event may be changed or missing', () => {
  const text = JSON.stringify({
    exception: { values: [{ type: 'E', stacktrace: { frames: frames.slice(0, 3) } }] },
    threads: { values: [{ id: 1, stacktrace: { frames: frames.slice(1, 4) } }] },
  })
  const known = new KnownFrames()
  digest(text, known)
  digest(text, known)
  for (let at = 0; at < text.length; at += 1) {
    for (const byte of ['', '"', '{', ',', '0', ']', '\u00ff']) {
      const changed = Buffer.from(text.slice(0, at) + byte + text.slice(at + 1), 'latin1')
      expect(digest(changed, known)).toEqual(digest(changed))
    }
  }
})

describe('hostile forms', () => {
  const frame = '{"function":"f","filename":"a.js","in_app":true}'
  /** `frames`, with an escape in the place of its first character. */
  const escapedName = `\\u${'f'.charCodeAt(0).toString(16).padStart(4, '0')}${'frames'.slice(1)}`
  const inException = (list: string) =>
    `{"exception":{"values":[{"type":"E","stacktrace":{"frames":${list}}}]}}`

  // biome-ignore format: the columns are the point
  test.each([
    ['no comma between frames          ', inException(`[${frame}${frame}]`)],
    ['only spaces between frames       ', inException(`[${frame} ${frame}]`)],
    ['a comma too many                 ', inException(`[${frame},]`)],
    ['a comma first                    ', inException(`[,${frame}]`)],
    ['a list that does not end         ', inException(`[${frame},${frame}`)],
    ['a number that looks like a cut   ', inException(`[${frame},0,1]`)],
    ['a number in place of the list    ', inException('0')],
    ['no colon                         ', inException(`[${frame}]`).replace('frames":', 'frames"')],
    ['two lists of the same name       ', inException(`[${frame}],"frames":[{"function":"g"}]`)],
    ['two exceptions of the same name  ', `{"exception":[{"stacktrace":{"frames":[${frame}]}}],"exception":[{"stacktrace":{"frames":[${frame},${frame}]}}]}`],
    ['an escaped name                  ', inException(`[${frame}]`).replace('frames', escapedName)],
    ['an escaped name and a number     ', inException(`[${frame}]},"stacktrace":{"${escapedName}":[0]`)],
    ['threads that are no values       ', `{"threads":[{"stacktrace":{"frames":[0,7]}}],${inException(`[${frame}]`).slice(1)}`],
    ['a stack in a list                ', `{"exception":{"values":[{"stacktrace":[{"frames":[${frame}]}]}]}}`],
    ['a name as a value                ', `{"exception":{"values":["stacktrace",{"frames":[${frame}]}]}}`],
    ['a list at the root               ', `["stacktrace",{"frames":[${frame}]}]`],
    ['a bare NaN                       ', inException(`[${frame},{"function":"g","lineno":NaN}]`)],
    ['a bare NaN elsewhere             ', `{"extra":{"a":NaN},"stacktrace":{"frames":[${frame}]}}`],
    ['a byte order mark                ', `\ufeff${inException(`[${frame}]`)}`],
    ['spaces and line ends             ', inException(`\n[\t${frame} ,\r\n ${frame} ]`)],
    ['a marker of the writer           ', inException(`[${frame}]`).replace('"E"', '"E","value":"\\0frames"'.replace('0', 'u0000'))],
    ['the deepest level                ', `{"stacktrace":{"frames":[{"function":"f","data":${'['.repeat(95)}${']'.repeat(95)}}]}}`],
    ['one level too deep               ', `{"stacktrace":{"frames":[{"function":"f","data":${'['.repeat(98)}${']'.repeat(98)}}]}}`],
    ['an id that JSON rounds           ', `{"user":{"id":9007199254740993},"stacktrace":{"frames":[{"user":{"id":9007199254740992}}]}}`],
  ] as const)('%s', (_name, text) => {
    expectSame([inException(`[${frame}]`), text])
  })

  test('a frame that is larger than what is kept, and one that is no JSON', () => {
    const large = `{"function":"${'x'.repeat(5000)}"}`
    expectSame([inException(`[${large},${frame}]`), inException(`[{"a":},${frame}]`)])
  })

  test('what is known is bounded, and forgotten frames come back', () => {
    const frameOf = (index: number) => `{"function":"f${index}","filename":"a.js"}`
    const texts = Array.from({ length: 40 }, (_, index) =>
      inException(`[${[index, index + 1, index + 2].map(frameOf).join()}]`),
    )
    expectSame(texts, new KnownFrames(20_000))
  })
})

test('settings with patterns or grouping rules share no frames', () => {
  expect(rulesOf({}).sharesFrames).toBe(true)
  expect(rulesOf({ scrubbing: { patterns: ['a+b'] } }).sharesFrames).toBe(false)
  const grouping = { fingerprint_rules: 'error.type:E -> e' }
  expect(rulesOf({ grouping }).sharesFrames).toBe(false)
})
