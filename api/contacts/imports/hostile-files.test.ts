import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CodedError } from '#schemas/error-codes.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  importContacts,
  importDesk,
  storedStates,
  uploadContacts,
} from '../../../test/fixtures/import-fixture.ts'
import { readRows } from './file/read-rows.ts'
import { planImport } from './plan-import.ts'
import { csvError } from './run-import.ts'

const api = apiOfThisFile()
const now = new Date('2026-11-22T12:00:00Z')
const seed = 20261122

async function rowsOf(file: Buffer) {
  const options = {
    mapping: undefined,
    ignore: [],
    format: undefined,
    fileName: undefined,
    status: undefined,
    updateExisting: false,
    newsletter: 'demo',
    source: undefined,
    dryRun: false,
  }
  const { plan } = await planImport({ open: () => [file], start: file }, options, now)
  const found = []
  for await (const { rows } of readRows([file], plan, { rowsDone: 0, now })) found.push(...rows)
  return found
}

const header = 'email,name,status,attribs,createdAt,suppressionCause,statusBefore\n'
const optedOut = Array.from(
  { length: 5 },
  (_, no) =>
    `r${no}@example.com,"N, ""${no}""",unsubscribed,"{""a"":${no}}",2024-01-01T00:00:00Z,,\n`,
).join('')
const bytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 4 }),
  fc
    .constantFrom('"', '\n', '\r', ',', ';', '\t', '\0', '\ufeff', '\ufffd', '""', '"\n', '\\')
    .map((text) => Buffer.from(text)),
)
const change = fc.record({ at: fc.nat(), cut: fc.nat(6), bytes })

test('a file of unsubscribed people subscribes nobody, with any damage', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let body = Buffer.from(optedOut)
      for (const { at, cut, bytes: added } of changes) {
        const place = at % body.length
        body = Buffer.concat([body.subarray(0, place), added, body.subarray(place + cut)])
      }
      try {
        for (const { own } of await rowsOf(Buffer.concat([Buffer.from(header), body]))) {
          expect(own).not.toBe('subscribed')
          expect(own).not.toBe('pending')
        }
      } catch (error) {
        const isRefusal = error instanceof CodedError && error.code === 'validation_failed'
        if (!isRefusal && csvError(error) === undefined) throw error
      }
    }),
    // Without the prefix `un` the row is a valid subscription, so such a change is not damage.
    { seed, numRuns: 1_500 },
  )
})

test('any bytes are read, or refused with an error message', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (given, isNamed) => {
      const start = isNamed ? Buffer.from('email,name\n') : Buffer.alloc(0)
      try {
        await rowsOf(Buffer.concat([start, given]))
      } catch (error) {
        const isRefusal = error instanceof CodedError && error.code === 'validation_failed'
        if (!isRefusal && csvError(error) === undefined) throw error
      }
    }),
    { seed, numRuns: 1_500 },
  )
})

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const good = 'good@example.com,Good\n'

// biome-ignore format: the columns are the point
test.each([
  ['NUL', Buffer.from(`email,name\na@example.com,\0\n${good}`), 'NUL'],
  ['10,000 columns', Buffer.from(`email,${'x,'.repeat(9_999)}\n`), 'at most 200 columns'],
  ['a first line of 10 MB', Buffer.from(`email,${'x'.repeat(10_000_000)}\n`), 'column names'],
  ['NUL in a name of a column', utf16(`email,na\0me\n${good}`), 'control characters'],
  ['half a surrogate pair in a name of a column', utf16(`email,na\ud800me\n${good}`), 'control characters'],
  ['two encodings', Buffer.concat([Buffer.from('email,name\na@example.com,Zoë\n'), Buffer.from('b@example.com,J\xfcrgen\n', 'latin1')]), 'line 3'],
])('%s: 400, and nothing is stored', async (_name, file, words) => {
  const desk = await importDesk(api())
  const { status, body } = await uploadContacts(api(), desk, file, { newsletter: desk.tenant.direct })
  expect([status, body.error]).toEqual([400, expect.stringContaining(words)])
  expect(body.error.length).toBeLessThan(1_000)
})

// biome-ignore format: the columns are the point
test.each([
  ['a line of 10 MB', Buffer.from(`email,name\n${good}a@example.com,${'x'.repeat(10_000_000)}\nb@example.com,B\n`), 'failed'],
  ['an open quote', Buffer.from(`email,name\n${good}a@example.com,"open\nb@example.com,B\n`), 'failed'],
  ['a quote inside a cell', Buffer.from(`email,name\n${good}a@example.com,"A" b\n`), 'failed'],
  ['half a surrogate pair', utf16(`email,name\n${good}a@example.com,\ud800\nb\udc00@example.com,B\n`), 'done'],
  ['half a character at the end', utf16(`email,name\n${good}a@example.com,A`).subarray(0, -1), 'done'],
  ['NUL in each cell', utf16(`email,source,status\ngood@example.com,,\na\0@example.com,,\n\0,\0,\0\nb@example.com,,\0sub\n`), 'done'],
])('%s: a report, and the batches before it', async (_name, file, state) => {
  const desk = await importDesk(api())
  const report = await importContacts(api(), desk, file)
  expect(report.state).toBe(state)
  if (state === 'failed') expect(report['reason']).toMatch(/^The file cannot be read: .*line \d/)
  else expect(report.problems.length).toBeGreaterThan(0)
  expect((await storedStates(api(), desk)).map(({ email }) => email)).toEqual(
    state === 'failed' ? [] : ['good@example.com'],
  )
})

test('attributes of every kind are stored, left out or refused, and never stop the import', async () => {
  const desk = await importDesk(api())
  const values = [
    ...[
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      '{"a":1e999}',
      '{"__proto__":{"x":1}}',
      '[]',
      '"x"',
      '1',
    ],
    ...[
      '{"":1}',
      '{"é":1,"e":2}',
      '{"a b":1,"a_b":2}',
      `{"a":"${'x'.repeat(2_001)}"}`,
      'null',
      '{',
    ],
    `{${Array.from({ length: 60 }, (_, no) => `"k${no}":${no}`).join(',')}}`,
    `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    '{"a\\u0000b":1,"constructor":"c","toString":{}}',
  ]
  const cells = values.map((value) => `"${value.replaceAll('"', '""')}"`)
  const foreign = `uuid,email,name,attributes,status\n${cells.map((cell, no) => `u,f${no}@example.com,,${cell},enabled`).join('\n')}\n`
  const report = await importContacts(api(), desk, foreign)
  expect(report).toMatchObject({ state: 'done', created: values.length, refused: 0 })
  expect(report.warnings.length).toBeGreaterThan(15)
  const own = `email,attribs\n${cells.map((cell, no) => `o${no}@example.com,${cell}`).join('\n')}\n`
  const strict = await importContacts(api(), desk, own)
  expect(strict).toMatchObject({ state: 'done', warned: 0 })
  for (const { attribs } of await storedStates(api(), desk)) {
    expect(Object.keys(attribs).length).toBeLessThanOrEqual(50)
    for (const value of Object.values(attribs)) {
      expect(typeof value === 'object', JSON.stringify(value)).toBe(false)
    }
  }
})
