import { expect, test } from 'vitest'
import { bodyPartsMax, parseJsonBody } from './validation/json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))
const filled = (unit: string) => `[${unit.repeat(bodyPartsMax)}0]`

test.each([
  ['empty arrays', filled('[],')],
  ['numbers', filled('1,')],
  ['fields', `{${'"a":1,'.repeat(bodyPartsMax)}"b":1}`],
  ['brackets that are never closed', '['.repeat(bodyPartsMax + 1)],
])('a body with too many parts is refused before it is parsed: %s', (_name, text) => {
  expect(() => parse(text)).toThrow(`must have at most ${bodyPartsMax} values and names of fields`)
})

test('separators within a text are not counted', () => {
  const html = `${',:[{'.repeat(bodyPartsMax)}\\"'`
  expect(parse(JSON.stringify({ html }))).toEqual({ html })
})
