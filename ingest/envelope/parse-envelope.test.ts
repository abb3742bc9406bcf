import { describe, expect, test } from 'vitest'
import { headerLineBytesMax, itemsPerEnvelopeMax } from '#schemas/limits.ts'
import { parseEnvelope, parseEnvelopeHeader } from './parse-envelope.ts'

function parse(text: string) {
  const bytes = Buffer.from(text, 'latin1')
  const envelope = parseEnvelope(bytes)
  if (envelope.kind === 'malformed') return envelope
  return {
    header: envelope.header,
    items: envelope.items.map(({ type, start, end }) => [
      type,
      bytes.toString('latin1', start, end),
    ]),
  }
}

// biome-ignore format: the columns are the point
test.each([
  ['no length runs to the next line feed   ', '{}\n{"type":"a"}\none\n{"type":"b"}\ntwo',            [['a', 'one'], ['b', 'two']]],
  ['a length may span line feeds           ', '{}\n{"type":"a","length":3}\n\r\n\n\n{"type":"b"}\n', [['a', '\r\n\n'], ['b', '']]],
  ['an item header at the very end is empty', '{}\n{"type":"a"}',                                    [['a', '']]],
  ['length 0 with a line feed and without  ', '{}\n{"type":"a","length":0}\n\n{"type":"b","length":0}\n', [['a', ''], ['b', '']]],
  ['a null length is none                  ', '{}\n{"type":"a","length":null}\nxyz',                 [['a', 'xyz']]],
  ['CR belongs to the payload              ', '{}\n{"type":"a"}\r\nx\r\n',                           [['a', 'x\r']]],
  ['blank lines at the end                 ', '{}\n{"type":"a"}\nx\n\n\n',                           [['a', 'x']]],
  ['no items                               ', '{}\n',                                                []],
  ['spaces and unknown keys                ', '{ "a" : [1, {"b": null}] }\n{ "type" : "a" , "z":1e3 }\nx', [['a', 'x']]],
  ['an escaped type                        ', '{}\n{"type":"e\\u0076ent"}\nx',                       [['event', 'x']]],
  ['a repeated key: the last one wins      ', '{}\n{"type":"a","type":"b"}\nx',                      [['b', 'x']]],
  ['a key of the prototype                 ', '{"__proto__":{"dsn":"x"}}\n{"type":"__proto__"}\nx',  [['__proto__', 'x']]],
] as const)('items are framed: %s', (_name, text, items) => {
  expect(parse(text)).toMatchObject({ items })
})

// biome-ignore format: the columns are the point
test.each([
  ['an empty body                        ', ''],
  ['a blank first line                   ', '\n{"type":"a"}\nx'],
  ['a header that is no JSON             ', 'not json\n{"type":"a"}\nx'],
  ['a header that is a list              ', '[]\n{"type":"a"}\nx'],
  ['a header that is null                ', 'null\n'],
  ['garbage after the header             ', '{}x\n{"type":"a"}\nx'],
  ['a trailing comma                     ', '{"a":1,}\n'],
  ['a number that JSON refuses           ', '{"a":01}\n'],
  ['an item without a type               ', '{}\n{"length":2}\n{}'],
  ['a type that is no string             ', '{}\n{"type":1}\n{}'],
  ['an item header that is no JSON       ', '{}\ntype=event\n{}'],
  ['a length past the end                ', '{}\n{"type":"a","length":99}\n{}'],
  ['no line feed after the length        ', '{}\n{"type":"a","length":2}\n{}x\n'],
  ['a negative length                    ', '{}\n{"type":"a","length":-1}\n{}'],
  ['a broken length                      ', '{}\n{"type":"a","length":1.5}\n{}'],
  ['a length in words                    ', '{}\n{"type":"a","length":"2"}\n{}'],
  ['an enormous length                   ', '{}\n{"type":"a","length":1e300}\n{}'],
  ['blank lines between items            ', '{}\n{"type":"a"}\nx\n\n{"type":"b"}\ny'],
  ['a later item only                    ', '{}\n{"type":"a"}\nx\n{"type":}\ny'],
] as const)('the whole envelope is refused for %s', (_name, text) => {
  expect(parse(text)).toMatchObject({ kind: 'malformed', reason: 'malformed_envelope' })
})

describe('bounds', () => {
  test('a header line may be as long as the limit and no longer', () => {
    const line = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}\n`
    expect(parse(line(headerLineBytesMax))).toMatchObject({ items: [] })
    expect(parse(line(headerLineBytesMax + 1))).toMatchObject({ kind: 'malformed' })
    expect(parse(`{}\n{"type":"a","b":"${'x'.repeat(headerLineBytesMax)}"}\n`)).toMatchObject({
      kind: 'malformed',
    })
  })

  test('an envelope may contain as many items as the limit and no more', () => {
    const items = (count: number) => `{}\n${'{"type":"a"}\nx\n'.repeat(count)}`
    expect(parse(items(itemsPerEnvelopeMax))).toHaveProperty('items.length', itemsPerEnvelopeMax)
    expect(parse(items(itemsPerEnvelopeMax + 1))).toMatchObject({ reason: 'too_many_items' })
  })
})

describe('the envelope header', () => {
  const id = '5f0c1d2e3a4b4c5d8e9f001122334455'

  // The second form of each makes the scanner give up and the parser read it: both must agree.
  // biome-ignore format: the columns are the point
  test.each([
    ['id               ', `"event_id":"${id}"`,                                { eventId: id }],
    ['dashed id        ', '"event_id":"5F0C1D2E-3a4b-4c5d-8e9f-001122334455"', { eventId: id }],
    ['bad id           ', '"event_id":"nope"',                                 { eventId: undefined }],
    ['id of wrong type ', '"event_id":5',                                      { eventId: undefined }],
    ['dsn              ', '"dsn":"http://k@h/1"',                              { dsn: 'http://k@h/1' }],
    ['null dsn         ', '"dsn":null',                                        { dsn: undefined }],
    ['sent_at          ', '"sent_at":"2026-11-20T23:01:47.186Z"',              { sentAt: '2026-11-20T23:01:47.186Z' }],
    ['bad sent_at      ', '"sent_at":"nope"',                                  { sentAt: undefined }],
    ['null sent_at     ', '"sent_at":null',                                    { sentAt: undefined }],
    ['sdk              ', '"sdk":{"name":"s.js","version":"10.1"}',            { sdk: 's.js/10.1' }],
    ['sdk, no version  ', '"sdk":{"name":"s.js","packages":[{"name":"x"}]}',   { sdk: 's.js' }],
    ['sdk, two lines   ', '"sdk":{"name":"s\\n.js\\u0000","version":"\\u001b1"}', { sdk: 's.js/1' }],
    ['sdk of controls  ', '"sdk":{"name":"\\n"}',                              { sdk: undefined }],
    ['sdk of wrong type', '"sdk":[1]',                                         { sdk: undefined }],
    ['only the top     ', `"trace":{"event_id":"${id}","dsn":"x"}`,            { eventId: undefined, dsn: undefined }],
  ] as const)('scanner and parser agree: %s', (_name, field, want) => {
    for (const text of [`{${field}}\n`, `{"escape":"\\n",${field}}\n`, `{ ${field} }`]) {
      expect(parseEnvelopeHeader(Buffer.from(text))).toMatchObject(want)
    }
  })
})
