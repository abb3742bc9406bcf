import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fileFieldsMax,
  fileLevelsMax,
  fileTextCharactersMax,
  JsonFileError,
  readJson,
} from './json-reader.ts'

function read(text: string, isList?: (path: readonly string[]) => boolean) {
  const items: unknown[] = []
  const steps = readJson(text, isList)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { value: step.value, items }
    if (step.value !== undefined) items.push(step.value.item)
  }
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch {
    return 'refused'
  }
}

test('reads all JSON that JSON.parse reads, with any white space', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 6 }),
      fc.constantFrom(undefined, 1, '\t', '\r\n'),
      (json, space) => {
        const text = ` ${JSON.stringify(JSON.parse(json), null, space)}\n`
        expect(read(text).value).toStrictEqual(JSON.parse(text))
      },
    ),
  )
})

test('refuses all texts that JSON.parse refuses', () => {
  const tokens = fc.constantFrom(
    ...[
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"a"',
      '"__proto__"',
      '"\\u00e9\\""',
      '"\\\\"',
      '"',
      '\\',
      ' ',
    ],
    ...['\n', '\u00a0', '0', '-', '1.5e+3', '01', '1.', 'true', 'nul', 'null', '"\t"', '"\\x"'],
  )
  fc.assert(
    fc.property(fc.array(tokens, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      expect(outcome(() => read(text).value)).toStrictEqual(outcome(() => JSON.parse(text)))
    }),
    { numRuns: 20_000 },
  )
})

test('refuses every truncation of a text', () => {
  const text = '{"a":[1,-2.5e3,"\\u2039\\"",null,true],"b":{"c":[[]],"d":{}}}'
  for (let end = 0; end < text.length; end += 1) {
    expect(() => read(text.slice(0, end))).toThrow(JsonFileError)
  }
})

describe('the items of a list', () => {
  test('are yielded in order and not buffered', () => {
    const isTop = (path: readonly string[]) => path.length === 0
    expect(read('[1,[2],{"a":[3]}]', isTop)).toEqual({ value: [], items: [1, [2], { a: [3] }] })
    expect(read('[]', isTop)).toEqual({ value: [], items: [] })
    const isPage = (path: readonly string[]) => path.join('.') === 'ideas'
    expect(read('{"a":[1],"ideas":[1,2],"next":null}', isPage)).toEqual({
      value: { a: [1], ideas: [], next: null },
      items: [1, 2],
    })
  })
})

test('limits nesting, the fields of one object and the length of one string', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(read(nested(fileLevelsMax)).value).toStrictEqual(JSON.parse(nested(fileLevelsMax)))
  expect(() => read(nested(fileLevelsMax + 1))).toThrow('levels of nesting')
  const fields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, no) => [`k${no}`, no])))
  expect(read(fields(fileFieldsMax)).value).toStrictEqual(JSON.parse(fields(fileFieldsMax)))
  expect(() => read(fields(fileFieldsMax + 1))).toThrow('fields in one object')
  expect(() => read(`["${'a'.repeat(fileTextCharactersMax + 1)}"]`)).toThrow('characters')
})

test('yields to the event loop for every shape of JSON, also within a value', () => {
  for (const text of ['[]'.repeat(1), `[${'1,'.repeat(20_000)}1]`, `${' '.repeat(20_000)}1`]) {
    const steps = [...readJson(text)]
    expect(steps.length).toBeGreaterThanOrEqual(text.length < 100 ? 0 : 5)
  }
})
