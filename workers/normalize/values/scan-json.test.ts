import { expect, test } from 'vitest'
import { scanJson } from './scan-json.ts'

const scan = (text: string, depthMax = 3) => scanJson(Buffer.from(text), depthMax)

// biome-ignore format: the columns are the point
test.each([
  ['the deepest level allowed                 ', '[[[]]]', false],
  ['one level more                            ', '[[[[]]]]', true],
  ['objects count like lists                  ', '{"a":{"b":{"c":{}}}}', true],
  ['siblings do not add up                    ', '[[],[],[],[[]],{}]', false],
  ['brackets in a string are text             ', '["[[[[[[{{{{"]', false],
  ['an escaped quote does not end its string  ', '["\\"[[[[["]', false],
  ['an escaped backslash does not escape      ', '["\\\\",[[[]]]]', true],
  ['an unclosed string hides the rest         ', '["[[[[[', false],
  ['an escape at the very end                 ', '["\\', false],
] as const)('%s', (_name, text, tooDeep) => {
  expect(scan(text).tooDeep).toBe(tooDeep)
})

// biome-ignore format: the columns are the point
test.each([
  ['plain text              ', '{"message":"ünïcode","constructive":1}', false],
  ['an escaped line break   ', '{"a":"\\n\\\\u0000"}', false],
  ['a unicode escape        ', '{"a":"\\u0000"}', true],
  ['a key named __proto__   ', '{"__proto__":1}', true],
  ['a key named prototype   ', '{"prototype":1}', true],
  ['a key named constructor ', '{"constructor":1}', true],
  ['words of the same length', '{"processId":1,"__private":2,"connections":3}', false],
] as const)('decides whether a text needs cleaning: %s', (_name, text, needsCleaning) => {
  expect(scan(text).needsCleaning).toBe(needsCleaning)
})

test('keys on all levels are counted, and colons in texts are not', () => {
  expect(scan('{"a:b":{"c":"d:e"},"f":[{"g":1}]}').keyCount).toBe(4)
})
