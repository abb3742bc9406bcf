import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CodedError } from '#schemas/error-codes.ts'
import { apiOfThisFile } from '../../../../test/fixtures/api-fixture.ts'
import {
  exportContacts,
  importContacts,
  importDesk,
  storedStates,
  uploadContacts,
} from '../../../../test/fixtures/import-fixture.ts'
import { planImport } from '../plan-import.ts'
import { readRows } from './read-rows.ts'

const api = apiOfThisFile()
const now = new Date('2026-11-22T12:00:00Z')

interface Given {
  readonly mapping?: object
  readonly ignore?: string[]
}

const cell = (json: unknown) =>
  `"${(typeof json === 'string' ? json : JSON.stringify(json)).replaceAll('"', '""')}"`

async function planned(text: string, { mapping = {}, ignore = [] }: Given = {}) {
  const file = Buffer.from(text)
  const options = {
    mapping: JSON.stringify(mapping),
    ignore,
    format: undefined,
    fileName: undefined,
    status: undefined,
    updateExisting: false,
    newsletter: 'demo',
    source: undefined,
    dryRun: false,
  }
  return planImport({ open: () => [file], start: file }, options, now)
}

async function rowsOf(text: string, given: Given = {}) {
  const { plan } = await planned(text, given)
  const found = []
  for await (const batch of readRows([Buffer.from(text)], plan, { rowsDone: 0, now })) {
    found.push(...batch.problems.map(({ field }) => `refused: ${field}`))
    found.push(...batch.rows.map(({ own, suppression }) => [own, suppression].join('/')))
  }
  return found
}

const refusal = async (text: string, given: Given = {}) => {
  const error = await planned(text, given).catch((thrown: unknown) => thrown)
  return error instanceof CodedError ? error.details?.[0] : 'imported'
}

// biome-ignore format: the columns are the point
const optOuts: readonly (readonly [json: unknown, path: string])[] = [
  [{ unsubscribed: true }, 'unsubscribed'],
  [{ unsubscribed: false }, 'unsubscribed'],
  [{ city: 'Rome', status: 'blocklisted' }, 'status'],
  [{ 'Opt-Out Date': null }, 'Opt-Out Date'],
  [{ marketing: { optedOut: 'yes' } }, 'marketing.optedOut'],
  [{ lists: [{ id: 1 }, { id: 2, subscription_status: 'unsubscribed' }] }, 'lists.subscription_status'],
  [[{ blocklisted: 1 }], 'blocklisted'],
  [{ raw: '{"do_not_email":true}' }, 'raw.do_not_email'],
  ['  {"gdpr": {"consent": "no"}}', 'gdpr'],
  ['"{\\"unsubscribed\\":true}"', 'unsubscribed'],
  ['{"unsub\\u0073cribed":1}', 'unsubscribed'],
  ['{"__proto__":{"unsubscribed":true}}', '__proto__.unsubscribed'],
  ['{"a":1e999,"Abgemeldet am":"2024-01-02"}', 'Abgemeldet am'],
  [{ a: { b: { c: { d: { e: { f: { g: { h: { i: { unsubscribed: true } } } } } } } } } }, 'a.b.c.d.e.f.g.h'],
]
const columns = ['attribs', 'attributes', 'Custom fields', 'attr.data', 'name', 'source']
const table = columns.flatMap((column) => optOuts.map((given) => [column, ...given] as const))

test.each(table)('%s with %j stops an import until it is mapped or ignored', async (...given) => {
  const [column, json, path] = given
  const name = `${column}.${path}`
  const text = `email,${column}\nfirst@b.co,\na@b.co,${cell(json)}\n`
  const rule = expect.stringContaining(`"${name}" of line 3 means, because it looks like`)
  expect(await refusal(text)).toMatchObject({ field: 'mapping', rule })
  expect(await refusal(text, { ignore: [name] })).not.toMatchObject({ rule })
  expect(await rowsOf(text, { ignore: [column] })).toEqual(['subscribed/', 'subscribed/'])
})

// biome-ignore format: the columns are the point
test.each([
  ['unsubscribed', { unsubscribed: true }, 'unsubscribed', ['unsubscribed/']],
  ['unsubscribed', { unsubscribed: '2024-01-02' }, 'unsubscribed', ['unsubscribed/']],
  ['unsubscribed', { unsubscribed: 0 }, 'unsubscribed', ['subscribed/']],
  ['unsubscribed', { unsubscribed: null }, 'unsubscribed', ['subscribed/']],
  ['unsubscribed', { unsubscribed: 'maybe' }, 'unsubscribed', ['refused: status']],
  ['unsubscribed', { unsubscribed: { at: 'x' } }, 'unsubscribed', ['refused: status']],
  ['unsubscribed', { lists: [{ unsubscribed: false }, { unsubscribed: true }] }, 'lists.unsubscribed', ['refused: status']],
  ['blocked', { lists: [{ banned: true }, { banned: true }] }, 'lists.banned', ['unsubscribed/manual']],
  ['status', { status: 'bounced' }, 'status', ['subscribed/hard']],
  ['status', { status: 'Complained' }, 'status', ['unsubscribed/complaint']],
  ['status', { status: 'blocklisted' }, 'status', ['refused: status']],
  ['subscribed', { consent: true }, 'consent', ['subscribed/']],
  ['subscribed', { consent: false }, 'consent', ['unsubscribed/']],
])('mapped as %s, %j', async (field, json, path, expected) => {
  const text = `email,attributes\na@b.co,${cell(json)}\n`
  expect(await rowsOf(text, { mapping: { [field]: `attributes.${path}` } })).toEqual(expected)
})

test.each([
  ['{"city":"Rome","plan":{"kind":"pro"}}'],
  ['unsubscribed'],
  ['{unsubscribed:true}'],
  ['[]'],
  ['{}'],
  [`${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  [`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
])('JSON without such a field, or other text, does not stop it: %#', async (json) => {
  expect(await rowsOf(`email,attributes\na@b.co,${cell(json)}\n`)).toEqual(['subscribed/'])
})

test('a contact with an opt-out anywhere in JSON is never imported without a mapping', async () => {
  const key = fc.constantFrom(
    'city',
    'data',
    'a',
    '',
    '__proto__',
    'constructor',
    'x.y',
    '\0',
    '\ud800',
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 12 },
      fc.constant({ opt_out: true }),
      fc.tuple(key, tie('tree'), fc.jsonValue()).map(([name, child, other]) =>
        // JSON.parse, because __proto__ in an object literal is not a field.
        Object.fromEntries([
          ['other', other],
          [name, child],
        ]),
      ),
      fc.tuple(tie('tree'), fc.jsonValue()).map(([child, other]) => [other, child]),
      tie('tree').map((child) => JSON.stringify(child)),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(tree, async (json) => {
      const refused = await refusal(`email,data\na@b.co,${cell(JSON.stringify(json))}\n`)
      expect(refused).toMatchObject({ field: 'mapping' })
    }),
    { seed: 20261122, numRuns: 500 },
  )
})

test('an opt-out far down in a CSV or JSON file stops the upload, and nothing is stored', async () => {
  const desk = await importDesk(api())
  const query = { newsletter: desk.tenant.direct }
  const rows = Array.from({ length: 3_000 }, (_, no) => `r${no}@b.co,${cell({ no })}`)
  const csv = `email,attribs\n${rows.join('\n')}\nout@b.co,${cell({ unsubscribed: true })}\n`
  for (const [file, type] of [
    [csv, 'text/csv'],
    [
      JSON.stringify([{ email: 'out@b.co', profile: { status: 'blocklisted' } }]),
      'application/json',
    ],
  ] as const) {
    const { status, body } = await uploadContacts(api(), desk, file, query, type)
    expect([status, body.error]).toEqual([400, expect.stringMatching(/of line (3002|2) means/)])
  }
  const { rows: stored } = await api().pool.query(
    'select from contact_imports where organization_id = $1',
    [desk.tenant.organizationId],
  )
  expect(stored).toEqual([])
})

test('a field that is mapped or ignored becomes no attribute and is reported', async () => {
  const desk = await importDesk(api())
  const csv = `email,attribs\na@b.co,${cell({ city: 'Rome', unsubscribed: true, status: 'x' })}\n`
  const report = await importContacts(api(), desk, csv, {
    mapping: JSON.stringify({ unsubscribed: 'attribs.unsubscribed' }),
    ignore: 'attribs.status',
  })
  expect(report).toMatchObject({ created: 1, ignoredColumns: ['attribs.status'] })
  expect(await storedStates(api(), desk)).toMatchObject([
    { status: 'unsubscribed', attribs: { city: 'Rome' } },
  ])
  const stored = await storedStates(api(), desk)
  expect(Object.keys(stored[0]!.attribs)).toEqual(['city'])
})

test('an export of Sluice keeps attributes with such names', async () => {
  const desk = await importDesk(api())
  await importContacts(api(), desk, 'email\na@b.co\n')
  await api().pool.query('update contacts set attribs = $2 where organization_id = $1', [
    desk.tenant.organizationId,
    { unsubscribed: true, status: 'blocklisted' },
  ])
  const exported = await exportContacts(api(), desk)
  const report = await importContacts(api(), desk, exported, { updateExisting: 'true' })
  expect(report).toMatchObject({ unchanged: 1, problems: [] })
  expect(await exportContacts(api(), desk)).toBe(exported)
})

test('an import that an earlier version planned refuses the rows', async () => {
  const desk = await importDesk(api())
  const csv = `email,attribs\nin@b.co,${cell({ city: 'Rome' })}\nout@b.co,${cell({ unsubscribed: true })}\n`
  const { plan } = await planned(csv, { ignore: ['attribs.unsubscribed'] })
  const { jsonColumns: _, ...earlier } = plan
  const found = []
  const options = { rowsDone: 0, now }
  for await (const batch of readRows([Buffer.from(csv)], earlier, options)) found.push(batch)
  expect(found[0]).toMatchObject({
    rows: [{ email: 'in@b.co' }],
    problems: [{ line: 3, field: 'attribs.unsubscribed' }],
  })
  expect(await storedStates(api(), desk)).toEqual([])
})
