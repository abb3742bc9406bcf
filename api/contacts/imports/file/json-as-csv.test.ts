import { expect, test } from 'vitest'
import { jsonAsCsv } from './json-as-csv.ts'
import { recordCharactersMax } from './read-records.ts'

const fileOf = (attribs: unknown) =>
  Buffer.from(JSON.stringify([{ email: 'a@example.com' }, { email: 'b@example.com', attribs }]))
const many = <Part>(part: () => Part) => Array.from({ length: recordCharactersMax }, part)

test.each([
  ['none', {}, '{}'],
  ['lists', { a: [1, [null, {}]] }, '"{""a"":[1,[null,{}]]}"'],
])('attributes are written as JSON: %s', async (_, attribs, cell) => {
  const csv = await jsonAsCsv(fileOf(attribs))
  expect(csv.toString()).toBe(`email,attribs\r\na@example.com,\r\nb@example.com,${cell}\r\n`)
})

test('a value may be as long as a row of CSV', async () => {
  const text = 'x'.repeat(recordCharactersMax)
  const csv = await jsonAsCsv(fileOf(text))
  expect(csv.toString()).toContain(text)
})

test.each([
  ['a text', 'x'.repeat(recordCharactersMax + 1)],
  ['a text in an attribute', { name: 'x'.repeat(recordCharactersMax) }],
  ['empty arrays', many(() => [])],
  ['empty objects', { a: { b: many(() => ({})) } }],
  ['numbers', many(() => 0)],
  ['fields', Object.fromEntries(Array.from({ length: 9_000 }, (_, no) => [`field ${no}`, no]))],
])('a longer value is refused with the place of its contact: %s', async (_, attribs) => {
  await expect(jsonAsCsv(fileOf(attribs))).rejects.toMatchObject({
    code: 'validation_failed',
    details: [{ field: 'file[1]', rule: `must have at most ${recordCharactersMax} characters` }],
  })
})
