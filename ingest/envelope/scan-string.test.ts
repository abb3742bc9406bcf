import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanString } from './scan-string.ts'

const seed = 20_261_121
const eventId = Buffer.from('event_id')

function scan(text: string) {
  const bytes = Buffer.from(`..${text}..`)
  return scanString(eventId, bytes, 2, bytes.length - 2)
}

// biome-ignore format: the columns are the point
test.each([
  ['first                     ', '{"event_id":"a","type":"b"}',                          'a'],
  ['last, after nested ones   ', '{"breadcrumbs":[{"event_id":"x"}],"event_id":"a"}',    'a'],
  ['only nested               ', '{"contexts":{"event_id":"x"}}',                        undefined],
  ['as a value                ', '{"message":"event_id","x":"\\"event_id\\":\\"no\\""}', undefined],
  ['with space everywhere     ', ' {\n "event_id" :\t"a" , "type" : "b" } ',             'a'],
  ['of another type           ', '{"event_id":5,"type":null}',                           undefined],
  ['of another type at first  ', '{"event_id":{"event_id":"x"},"event_id":"a"}',         'a'],
  ['twice: the first one wins ', '{"event_id":"a","event_id":"x"}',                      'a'],
  ['in a list                 ', '["event_id","a"]',                                     undefined],
  ['in an object in a list    ', '[{"event_id":"a"}]',                                   undefined],
  ['after brackets in a string', '{"a":"}]{[","event_id":"a"}',                          'a'],
  ['after a nested comma      ', '{"a":[1,"event_id"],"event_id":"a"}',                  'a'],
  ['too long                  ', `{"event_id":"${'a'.repeat(5000)}"}`,                   undefined],
  ['escapes stay as they are  ', '{"event_id":"a\\"b"}',                                 'a\\"b'],
] as const)('the id of an event is found: %s', (_name, text, want) => {
  expect(scan(text)).toBe(want)
})

test('it returns the same string as JSON.parse', () => {
  const names = fc.constantFrom('event_id', 'type', 'event_id"', 'type\\', 'a', 'event_ïd', '')
  const value = fc.jsonValue({ maxDepth: 3 })
  const word = fc.stringMatching(/^[0-9a-f-]{0,40}$/)
  const events = fc.dictionary(
    names,
    fc.oneof(word, fc.record({ event_id: value }), fc.array(value)),
  )
  fc.assert(
    fc.property(events, fc.constantFrom(undefined, 1, '\t'), (event, indent) => {
      const text = JSON.stringify(event, null, indent)
      const id: unknown = Object.hasOwn(event, 'event_id') ? event['event_id'] : undefined
      expect(scan(text)).toBe(typeof id === 'string' ? id : undefined)
    }),
    { seed, numRuns: 2000 },
  )
})

test('it never throws and stays within its range', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ aevnt_id') }), (text) => {
      const bytes = Buffer.from(`${text}","event_id":"outside"}`)
      expect(scanString(eventId, bytes, 0, text.length)).not.toBe('outside')
    }),
    { seed, numRuns: 2000 },
  )
})

test('on bytes that are nearly JSON, with closed strings, it agrees with a simple scan', () => {
  const piece = fc.constantFrom(
    ...[
      '"event_id"',
      '"event_id',
      '\\"event_id"',
      '"a"',
      '"',
      '\\',
      ':',
      ',',
      '{',
      '}',
      '[',
      ']',
      ' ',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const text = `{${pieces.join('')}`
      fc.pre(/^(?:[^"]|"(?:[^"\\]|\\[\s\S])*")*$/.test(text))
      expect(scan(text)).toBe(scanPlainly(text))
    }),
    { seed, numRuns: 20_000 },
  )
})

/**
 * The rule without optimisations: tokens, their depth, and whether the outermost object expects a
 * key.
 */
function scanPlainly(text: string): string | undefined {
  let depth = 0
  let isKeyNext = false
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[,{}[\]]/g)) {
    if (token === ',') isKeyNext = depth === 1
    else if (token === '{' || token === '[') {
      depth += 1
      if (depth === 1) isKeyNext = true
    } else if (token === '}' || token === ']') {
      depth -= 1
      if (depth === 0) return undefined
    } else if (isKeyNext && depth === 1) {
      isKeyNext = false
      const value = /^\s*:\s*"((?:[^"\\]|\\[\s\S])*)"/.exec(text.slice(index + token.length))?.[1]
      if (token === '"event_id"' && value !== undefined) return value
    }
  }
  return undefined
}

test('ten thousand nested levels are scanned without recursion', () => {
  const deep = '['.repeat(10_000) + ']'.repeat(10_000)
  expect(scan(`{"a":${deep},"event_id":"a"}`)).toBe('a')
})
