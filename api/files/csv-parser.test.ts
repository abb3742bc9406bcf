import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CsvOptions, csvErrorText, delimiterOfHeader, parseCsv } from './csv-parser.ts'
import { firstCsvRecords } from './csv-records.ts'
import { csvLine } from './table-file.ts'

const options: CsvOptions = { delimiter: ',', recordCharactersMax: 1_000 }

async function recordsOf(bytes: Uint8Array, given = options): Promise<unknown[]> {
  const records: unknown[] = []
  for await (const record of parseCsv(Readable.from([bytes]), given)) records.push(record)
  return records
}

// biome-ignore format: the columns are the point
test.each([
  ['one column',                      'email',                    ','],
  ['an empty header',                 '',                         ','],
  ['semicolons',                      'email;name;city',          ';'],
  ['tabs',                            'email\tname',              '\t'],
  ['commas in a semicolon file',      'email;"name, first";city', ';'],
  ['quoted semicolons',               'email,"a;b;c;d"',          ','],
  ['an escaped quote',                '"a ""b;c""",email',        ','],
  ['a tie: the comma wins',           'email,name;city',          ','],
] as const)('the delimiter of a header with %s', (_name, header, want) => {
  expect(delimiterOfHeader(header)).toBe(want)
})

test('a written line is read back, with any content of its cells', async () => {
  const cell = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed())
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 2, maxLength: 5 }), async (cells) => {
      fc.pre(cells.some((text) => text !== '') && !cells[0]!.startsWith('\ufeff'))
      const [read] = await recordsOf(Buffer.from(csvLine(cells)))
      const guarded = cells.map((text) => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text))
      expect(read).toEqual(guarded)
    }),
  )
})

test('a start that cuts a record returns the records before it', async () => {
  const text = 'a,b\r\n1,2\r\n3,"4'
  expect(await firstCsvRecords(text, { delimiter: ',', recordsMax: 10 })).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
  expect(await firstCsvRecords(text, { delimiter: ',', recordsMax: 1 })).toEqual([['a', 'b']])
})

test('a start that is longer than the wanted records returns those', async () => {
  const rows = Array.from({ length: 20_000 }, (_, no) => [`a${no}`, 'b'])
  const text = rows.map((row) => row.join()).join('\n')
  const first = await firstCsvRecords(text, { delimiter: ',', recordsMax: 100 })
  expect(first).toEqual(rows.slice(0, 100))
})

test('a record over the limit and an open quote are errors that are described', async () => {
  for (const text of [`a\n${'x'.repeat(2_000)}\n`, 'a\n"x\n']) {
    const error = await recordsOf(Buffer.from(text)).catch((thrown: unknown) => thrown)
    expect(csvErrorText(error)).toMatch(/\S/)
  }
  expect(csvErrorText(new Error('no CSV'))).toBeUndefined()
})

test('a byte order mark, blank lines and rows of other lengths are accepted', async () => {
  const bytes = Buffer.from('\ufeffa,b\n\n1\n1,2,3\n')
  expect(await recordsOf(bytes)).toEqual([['a', 'b'], ['1'], ['1', '2', '3']])
})
