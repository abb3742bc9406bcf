/**
 * Compares both scans with a simple implementation: decode all records with a general library, then
 * check the severity of each.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportLogsRequest } from '../../bench/otlp/otlp-messages.ts'
import { eventOfLog } from './event-of-log.ts'
import type { FoundLogs, MalformedLogs } from './found-logs.ts'
import { jsonEncoding, type OtlpEncoding, protobufEncoding } from './otlp-encoding.ts'
import { scanJsonLogs } from './scan-json-logs.ts'
import { scanProtobufLogs } from './scan-protobuf-logs.ts'
import { severityOfText, severityOfValue } from './severity.ts'

const seed = 20_261_121
const numRuns = 300

const value = fc.letrec<{ any: object }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.record({ stringValue: fc.string({ unit: 'binary', maxLength: 200 }) }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.maxSafeInteger() }),
    fc.record({ doubleValue: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('any'), { maxLength: 4 }) }) }),
    fc.constant({}),
  ),
})).any

const attributes = fc.array(fc.record({ key: fc.string({ maxLength: 20 }), value }), {
  maxLength: 6,
})

const record = fc.record(
  {
    timeUnixNano: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
    severityNumber: fc.integer({ min: -2, max: 30 }),
    severityText: fc.constantFrom('', 'info', 'ERROR', 'Fatal', 'warn', 'emergency', 'errors', 'x'),
    body: value,
    attributes,
    flags: fc.nat(),
    observedTimeUnixNano: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  },
  { requiredKeys: [] },
)

const request = fc.record({
  resourceLogs: fc.array(
    fc.record(
      {
        resource: fc.record({ attributes }),
        scopeLogs: fc.array(
          fc.record(
            {
              scope: fc.record({ name: fc.string() }),
              logRecords: fc.array(record, { maxLength: 5 }),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
})

interface PlainRequest {
  readonly resourceLogs?:
    | readonly {
        readonly scopeLogs?: readonly { readonly logRecords?: readonly PlainRecord[] }[]
      }[]
    | null
}
interface PlainRecord {
  readonly severityNumber?: unknown
  readonly severityText?: unknown
}

/** Counts errors and other records one by one. */
function plainCounts(plain: PlainRequest): readonly [errors: number, dropped: number] {
  const records = (plain.resourceLogs ?? []).flatMap(({ scopeLogs }) =>
    (scopeLogs ?? []).flatMap(({ logRecords }) => logRecords ?? []),
  )
  const errors = records.filter(({ severityNumber, severityText }) => {
    const severity = severityOfValue(severityNumber)
    if (severity > 0) return severity >= 17
    return typeof severityText === 'string' && severityOfText(severityText) !== 0
  })
  return [errors.length, records.length - errors.length]
}

function counts(found: FoundLogs | MalformedLogs) {
  return found.kind === 'malformed' ? found.cause : [found.records.length, found.droppedCount]
}

function protobufOf(plain: object): Uint8Array {
  return exportLogsRequest.encode(exportLogsRequest.fromObject(plain)).finish()
}

function libraryCounts(bytes: Uint8Array) {
  return plainCounts(exportLogsRequest.toObject(exportLogsRequest.decode(bytes)))
}

describe('protobuf', () => {
  test('finds the same records as a library that decodes all of them', () => {
    const property = fc.property(request, (plain) => {
      const bytes = protobufOf(plain)
      expect(counts(scanProtobufLogs(bytes))).toEqual(libraryCounts(bytes))
    })
    fc.assert(property, { seed, numRuns })
  })

  test('gives the same result for fields in any order, in parts, and with unknown fields', () => {
    const unknown = fc.constantFrom(
      [0x78, 0xff, 0x01], // varint
      [0x79, 1, 2, 3, 4, 5, 6, 7, 8], // fixed64
      [0x7a, 3, 1, 2, 3], // length
      [0x7d, 1, 2, 3, 4], // fixed32
      [0x7b, 0x08, 0x01, 0x7c], // group
      [0xf8, 0xff, 0xff, 0xff, 0x0f, 0x05], // the largest field number
      [],
    )
    const property = fc.property(
      fc.array(fc.tuple(record, unknown, unknown), { maxLength: 6 }),
      (records) => {
        const whole = records.map(([plain, before, behind]) => {
          const [, inner] = protobufRecord(plain)
          return [0x12, ...length([...before, ...inner, ...behind])]
        })
        const scopeLogs = [0x12, ...length(whole.flat())]
        const bytes = Uint8Array.from([0x0a, ...length(scopeLogs)])
        const want = plainCounts({
          resourceLogs: [{ scopeLogs: [{ logRecords: records.map(([plain]) => plain) }] }],
        })
        expect(counts(scanProtobufLogs(bytes))).toEqual(want)
      },
    )
    fc.assert(property, { seed, numRuns })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['the last of two severities counts    ', [0x10, 9, 0x10, 17],             [1, 0]],
    ['the last of two, the other way       ', [0x10, 17, 0x10, 9],             [0, 1]],
    ['the last of two, in more bytes       ', [0x10, 17, 0x10, 0x89, 0x80, 0x00], [0, 1]],
    ['a tag in more bytes than it needs    ', [0x90, 0x00, 17],                [1, 0]],
    ['a number in more bytes than it needs ', [0x10, 0x91, 0x80, 0x00],        [1, 0]],
    ['a negative severity is none          ', [0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0, 1]],
    ['a severity of another wire type      ', [0x15, 17, 0, 0, 0],             [0, 1]],
    ['the text, where the number is 0      ', [0x10, 0, 0x1a, 3, 0x45, 0x52, 0x52], [1, 0]],
    ['a length in more bytes than it needs ', [0x9a, 0x00, 0x83, 0x00, 0x45, 0x52, 0x52], [1, 0]],
    ['an empty record                      ', [],                              [0, 1]],
    ['a varint of eleven bytes             ', [0x10, ...Array(10).fill(0x80), 0x01], 'malformed'],
    ['a length beyond the end              ', [0x1a, 4, 0x45, 0x52, 0x52],     'malformed'],
    ['a length of 2^63                     ', [0x1a, ...Array(8).fill(0xff), 0x7f], 'malformed'],
    ['a length of 2^32 + 1                 ', [0x1a, 0x81, 0x80, 0x80, 0x80, 0x10, 0x45], 'malformed'],
    ['a fixed number that is cut short     ', [0x09, 1, 2, 3],                 'malformed'],
    ['a tag that is cut short              ', [0x80],                          'malformed'],
    ['a tag without its value              ', [0x10],                          'malformed'],
    ['field number 0                       ', [0x02, 0],                       'malformed'],
    ['field number 0 with more bytes       ', [0x82, 0x00, 0],                 'malformed'],
    ['wire type 6                          ', [0x0e, 0],                       'malformed'],
    ['a group that ends another            ', [0x7b, 0x74],                    'malformed'],
    ['a group without its end              ', [0x7b, 0x08, 0x01],              'malformed'],
    ['endless nested groups                ', Array(100).fill(0x7b),           'malformed'],
    ['the end of no group                  ', [0x7c],                          'malformed'],
  ] as const)('%s', (_name, inner, want) => {
    const bytes = Uint8Array.from([0x0a, ...length([0x12, ...length([0x12, ...length(inner)])])])
    const found = scanProtobufLogs(bytes)
    expect(found.kind === 'malformed' ? 'malformed' : counts(found)).toEqual(want)
  })
})

function length(inner: readonly number[]): number[] {
  const bytes: number[] = []
  let left = inner.length
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80)
    left = Math.floor(left / 0x80)
  }
  return [...bytes, left, ...inner]
}

function protobufRecord(plain: object): readonly [number, readonly number[]] {
  const type = exportLogsRequest.root.lookupType('LogRecord')
  return [0x12, [...type.encode(type.fromObject(plain)).finish()]]
}

/**
 * Serialises the value in any legal form of JSON: with white space, escapes, and repeated keys.
 */
function looseJson(plain: unknown, random: () => number): string {
  // Half of the texts have the form that exporters write.
  if (random() < 0.5) return JSON.stringify(plain)
  const space = () => ['', '', '', ' ', '\n\t', '\r '][Math.floor(random() * 6)]!
  const text = (sent: string) => {
    const exact = JSON.stringify(sent)
    if (random() < 0.7) return exact
    const units = Array.from({ length: sent.length }, (_, at) => sent.charCodeAt(at))
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
  }
  const write = (one: unknown): string => {
    if (typeof one === 'string') return space() + text(one) + space()
    if (typeof one !== 'object' || one === null) return space() + JSON.stringify(one) + space()
    if (Array.isArray(one)) return `${space()}[${one.map(write).join(',') || space()}]${space()}`
    const members = Object.entries(one).flatMap(([key, sent]) => {
      const member = `${space()}${text(key)}${space()}:${write(sent)}`
      if (random() > 0.2) return [member]
      // Only the last of equal keys counts.
      const earlier = write([null, 17, [], one, 'ERROR', {}][Math.floor(random() * 6)])
      return [`${space()}${text(key)}${space()}:${isListKey(key) ? '[]' : earlier}`, member]
    })
    if (random() < 0.2) members.push(`"unknown":{"severityNumber":17,"logRecords":[{}]}`)
    return `${space()}{${members.join(',') || space()}}${space()}`
  }
  return write(plain)
}

const isListKey = (key: string) => /Logs$|Records$/.test(key)

function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('JSON', () => {
  test('finds the same records as JSON.parse in any legal form', () => {
    const property = fc.property(request, fc.nat(), (plain, start) => {
      const text = looseJson(plain, randomOf(start))
      const want = plainCounts(JSON.parse(text) as PlainRequest)
      expect(counts(scanJsonLogs(Buffer.from(text)))).toEqual(want)
    })
    fc.assert(property, { seed, numRuns })
  })

  test('accepts exactly the texts that JSON.parse accepts', () => {
    const property = fc.property(
      request,
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 9, max: 126 })), { maxLength: 3 }),
      fc.nat(),
      (plain, start, changes, cut) => {
        const bytes = Buffer.from(looseJson(plain, randomOf(start)))
        const changed = changes.length === 0 ? bytes.subarray(0, cut % bytes.length) : bytes
        for (const [at, byte] of changes) changed[at % changed.length] = byte
        // Invalid UTF-8 becomes another character, which is legal only within a string.
        const isJson = parses(changed.toString())
        const found = scanJsonLogs(changed)
        if (!isJson) expect(found).toMatchObject({ kind: 'malformed' })
        else if (found.kind === 'malformed') expect(found.cause).toMatch(/must be/)
      },
    )
    fc.assert(property, { seed, numRuns: 3000 })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a name for the number              ', '"severityNumber":"SEVERITY_NUMBER_ERROR2"', [1, 0]],
    ['a name below error                 ', '"severityNumber":"SEVERITY_NUMBER_WARN4"',  [0, 1]],
    ['the name of none, and the text     ', '"severityNumber":"SEVERITY_NUMBER_UNSPECIFIED","severityText":"Error"', [1, 0]],
    ['the number as text                 ', '"severityNumber":"17"',              [1, 0]],
    ['the number with a fraction of zero ', '"severityNumber":17.0',              [1, 0]],
    ['the number with an exponent        ', '"severityNumber":1.7e1',             [1, 0]],
    ['no whole number                    ', '"severityNumber":17.5',              [0, 1]],
    ['null is absent                     ', '"severityNumber":null,"severityText":null', [0, 1]],
    ['a list is no number                ', '"severityNumber":[17]',              [0, 1]],
    ['the last of two                    ', '"severityNumber":17,"severityNumber":9', [0, 1]],
    ['the last of two, one with an escape', '"severityNumber":9,"severity\\u004eumber":17', [1, 0]],
    ['an escape at the start of the key  ', '"\\u0073everityNumber":17',          [1, 0]],
    ['a longer key is another            ', '"severityNumbers":17,"severityNumber ":17', [0, 1]],
    ['an escape in the text              ', '"severityText":"\\u0045RROR"',       [1, 0]],
    ['inside the body is not the record  ', '"body":{"severityNumber":17}',       [0, 1]],
    ['a quote inside a string            ', '"body":"\\",\\"severityNumber\\":17"', [0, 1]],
    ['a control character in a string    ', '"body":"\u0001"',                    'malformed'],
    ['a leading zero                     ', '"severityNumber":017',               'malformed'],
    ['a comma at the end                 ', '"severityNumber":17,',               'malformed'],
    ['an unknown word                    ', '"body":nul',                         'malformed'],
    ['an unknown escape                  ', '"body":"\\x41"',                     'malformed'],
    ['half an escape                     ', '"body":"\\u00"',                     'malformed'],
    ['a bare word                        ', '"body":NaN',                         'malformed'],
  ] as const)('%s', (_name, members, want) => {
    const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{${members}}]}]}]}`
    expect(parses(text)).toBe(want !== 'malformed')
    const found = scanJsonLogs(Buffer.from(text))
    expect(found.kind === 'malformed' ? 'malformed' : counts(found)).toEqual(want)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['[]',                                              'the body must be an object'],
    ['null',                                            'the body must be an object'],
    ['',                                                'the body is not valid JSON'],
    ['{} {}',                                           'the body is not valid JSON'],
    ['{"resourceLogs":{}}',                             'resourceLogs must be a list'],
    ['{"resourceLogs":[1]}',                            'each of resourceLogs must be an object'],
    ['{"resourceLogs":[{"scopeLogs":"x"}]}',            'scopeLogs must be a list'],
    ['{"resourceLogs":[{"scopeLogs":[{"logRecords":[null]}]}]}', 'each of logRecords must be an object'],
  ])('%s is refused: %s', (text, cause) => {
    expect(scanJsonLogs(Buffer.from(text))).toEqual({ kind: 'malformed', cause })
  })

  test('lists that are null are empty', () => {
    const text =
      '{"resourceLogs":[{"scopeLogs":null,"resource":null},{"scopeLogs":[{"logRecords":null}]}]}'
    expect(counts(scanJsonLogs(Buffer.from(text)))).toEqual([0, 0])
  })

  test('the last of equal keys counts, with its whole value', () => {
    const list = '[{"scopeLogs":[{"logRecords":[{"severityNumber":17},{}]}]}]'
    expect(
      counts(scanJsonLogs(Buffer.from(`{"resourceLogs":${list},"resourceLogs":${list}}`))),
    ).toEqual([1, 1])
    expect(counts(scanJsonLogs(Buffer.from(`{"resourceLogs":${list},"resourceLogs":[]}`)))).toEqual(
      [0, 0],
    )
  })

  test('hundreds of nested lists are accepted, more are refused', () => {
    const nested = (depth: number) =>
      Buffer.from(`{"unknown":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(counts(scanJsonLogs(nested(500)))).toEqual([0, 0])
    expect(scanJsonLogs(nested(1_000_000))).toMatchObject({ kind: 'malformed' })
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe.each([
  ['protobuf', protobufEncoding, (plain: object) => Buffer.from(protobufOf(plain))],
  ['JSON', jsonEncoding, (plain: object) => Buffer.from(JSON.stringify(plain))],
] as const)('hostile %s', (_name, encoding, write) => {
  test('random bytes, and requests with changed, missing and repeated bytes, never throw', () => {
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(request, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), fc.nat())
        .map(([plain, changes, cut]) => {
          const bytes = write(plain)
          for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
          return cut % 3 === 0 ? bytes.subarray(0, cut % (bytes.length + 1)) : bytes
        }),
    )
    const property = fc.property(hostile, (bytes) => {
      expect(() => readAll(encoding, bytes)).not.toThrow()
    })
    fc.assert(property, { seed, numRuns: 3000 })
  })
})

function readAll(encoding: OtlpEncoding, sent: Uint8Array): void {
  const bytes = Buffer.from(sent)
  const found = encoding.scan(bytes)
  if (found.kind === 'malformed') return
  const reader = encoding.reader(bytes)
  for (const one of found.records) {
    const log = reader.read(one)
    if (log === undefined) return
    JSON.stringify(eventOfLog(log))
  }
}
