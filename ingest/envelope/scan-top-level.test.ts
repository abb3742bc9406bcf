import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanTopLevel } from './scan-top-level.ts'

const seed = 20_261_121

function scan(text: string) {
  const bytes = Buffer.from(`..${text}..`)
  return scanTopLevel(bytes, 2, bytes.length - 2)
}

// biome-ignore format: the columns are the point
test.each([
  ['first                       ', '{"event_id":"a","type":"b"}',                           'a', 'b'],
  ['last, after nested ones     ', '{"breadcrumbs":[{"event_id":"x","type":"y"}],"event_id":"a"}', 'a', undefined],
  ['only nested                 ', '{"contexts":{"event_id":"x"}}',                         undefined, undefined],
  ['as a value                  ', '{"message":"event_id","x":"\\"event_id\\":\\"no\\""}',  undefined, undefined],
  ['with space everywhere       ', ' {\n "event_id" :\t"a" , "type" : "b" } ',              'a', 'b'],
  ['with an escape in the key   ', '{"event\\u005fid":"a"}',                                'a', undefined],
  ['with an escape in the value ', '{"event_id":"\\u0061"}',                                'a', undefined],
  ['of another type             ', '{"event_id":5,"type":null}',                            undefined, undefined],
  ['twice: the last one wins    ', '{"event_id":"x","event_id":"a"}',                       'a', undefined],
  ['twice: even if unusable     ', '{"event_id":"x","event_id":null}',                      undefined, undefined],
  ['in a list                   ', '["event_id","a"]',                                      undefined, undefined],
  ['after brackets in a string  ', '{"a":"}]{[","event_id":"a"}',                           'a', undefined],
] as const)('top-level fields are found: %s', (_name, text, eventId, type) => {
  expect(scan(text)).toEqual({ eventId, type })
})

test('it reads what JSON.parse reads', () => {
  const names = fc.constantFrom('event_id', 'type', 'event_id"', 'type\\', 'a', 'event_ïd', '')
  const value = fc.jsonValue({ maxDepth: 3 })
  const events = fc.dictionary(names, fc.oneof(value, fc.string(), fc.record({ event_id: value })))
  fc.assert(
    fc.property(events, fc.constantFrom(undefined, 1, '\t'), (event, indent) => {
      const text = JSON.stringify(event, null, indent)
      const parsed: Record<string, unknown> = JSON.parse(text)
      const stringOf = (name: string) => {
        const field = parsed[name]
        return typeof field === 'string' ? field : undefined
      }
      expect(scan(text)).toEqual({ eventId: stringOf('event_id'), type: stringOf('type') })
    }),
    { seed, numRuns: 2000 },
  )
})

test('no bytes make it throw, and it stays within its range', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ aevnt_id') }), (text) => {
      const bytes = Buffer.from(`${text}","event_id":"outside"}`)
      expect(scanTopLevel(bytes, 0, text.length).eventId).not.toBe('outside')
    }),
    { seed, numRuns: 2000 },
  )
})

test('nesting ten thousand levels deep is walked without recursion', () => {
  const deep = '['.repeat(10_000) + ']'.repeat(10_000)
  expect(scan(`{"a":${deep},"event_id":"a"}`).eventId).toBe('a')
})
