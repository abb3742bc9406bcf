/**
 * Files of feedback: our own export comes back without loss, rows of others are kept or reported.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pagePath } from '#schemas/page-path.ts'
import {
  FeedbackMessage,
  feedbackSources,
  feedbackStatuses,
  feedbackTypes,
} from '#schemas/rest/portal/feedback.ts'
import { storedText } from '#schemas/stored-text.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { hostileTexts } from '../../../test/fixtures/hostile-texts.ts'
import { writeFeedbackFile } from './write-feedback-file.ts'

const api = apiOfThisFile()
let projects = 0

interface Project {
  readonly tenant: Tenant
  readonly login: PersonLogin
}

async function emptyProject(): Promise<Project> {
  projects += 1
  const tenant = await api().tenant(`Feedback ${projects}`)
  return { tenant, login: await api().login(tenant) }
}

async function load({ tenant, login }: Project, text: string, format: 'csv' | 'json', query = '') {
  const type = format === 'csv' ? 'text/csv' : 'application/json'
  const path = `/api/v1/admin/feedback/${tenant.project.id}/import${query}`
  const headers = { 'content-type': type }
  const { status, body } = await api().call(path, { method: 'POST', body: text, login, headers })
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
  return body
}

async function unload({ tenant }: Project, format: 'csv' | 'json'): Promise<string> {
  let text = ''
  for await (const part of writeFeedbackFile(api().ctx.pg, tenant.project.dsnId, format))
    text += part
  return text
}

const hostileStrings = hostileTexts
  .map((text): unknown => JSON.parse(text))
  .filter((value) => typeof value === 'string')
const odd = [
  '=cmd|calc',
  "'=kept",
  '-1',
  '"quoted", twice',
  'e\u0301',
  '\u202eright',
  '[x]',
  '\u3164',
  '01',
  'true',
  'a\r\nb',
]

/** Stores a text as ingest does, or as the API does. */
const stored = (charactersMax: number) =>
  fc
    .oneof(fc.constantFrom(...hostileStrings, ...odd), fc.string({ unit: 'binary', maxLength: 20 }))
    .map((text) => storedText(storedText(text).trim(), charactersMax).trim())
    .filter((text) => text !== '')
const typed = fc
  .constantFrom(...hostileStrings, ...odd, 'two\rlines')
  .map((text) => FeedbackMessage.safeParse(text))
  .filter(({ success }) => success)
  .map(({ data }) => data as string)
const maybe = (charactersMax: number) => fc.option(stored(charactersMax))
const micros = fc.constantFrom('000000', '000001', '123456', '999999')
const time = fc.tuple(fc.nat(3), micros).map(([s, us]) => `2026-03-01T00:00:0${s}.${us}Z`)

const rows = fc.array(
  fc.record({
    message: fc.oneof(stored(4_096), typed),
    type: fc.constantFrom(...feedbackTypes),
    status: fc.constantFrom(...feedbackStatuses),
    source: fc.constantFrom(...feedbackSources),
    path: fc.option(
      fc
        .oneof(
          fc.webPath(),
          fc.constantFrom('/', '/a%20b', '//host/x', '/ünï', `/${'x'.repeat(900)}`),
        )
        .map((path) => pagePath(path) ?? null),
      { nil: null },
    ),
    version: maybe(250),
    environment: maybe(64),
    component: maybe(64),
    person_name: maybe(255),
    person_email: maybe(254),
    enduser_id: maybe(255),
    event_id: fc.option(fc.uuid()),
    archived: fc.boolean(),
    created_at: time,
    updated_at: time,
  }),
  { maxLength: 12 },
)

async function fill(
  { tenant }: Project,
  list: typeof rows extends fc.Arbitrary<infer R> ? R : never,
) {
  await api().pool.query(
    `insert into feedback (project_id, id, message, type, status, source, path, version, environment, component,
       person_name, person_email, enduser_id, event_id, archived, created_at, updated_at)
     select $1, gen_random_uuid(), message, type, status, source, path, version, environment, component,
       person_name, person_email, enduser_id, event_id, archived, created_at, updated_at
     from jsonb_to_recordset($2::jsonb) as n (message text, type text, status text, source text, path text, version text,
       environment text, component text, person_name text, person_email text, enduser_id text, event_id uuid,
       archived boolean, created_at timestamptz, updated_at timestamptz)`,
    [tenant.project.dsnId, JSON.stringify(list)],
  )
}

describe('an export of Sluice', () => {
  test('an export of any feedback imports without loss, as CSV and JSON', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('csv', 'json'), async (list, format) => {
        const from = await emptyProject()
        await fill(from, list)
        const to = await emptyProject()
        const text = await unload(from, format)
        const count = list.length
        const want = { rows: count, refused: 0, mistakes: [], notes: [], ignored_columns: [] }
        expect(await load(to, text, format)).toMatchObject({ ...want, added: count })
        for (const each of ['csv', 'json'] as const) {
          expect(await unload(to, each)).toBe(await unload(from, each))
        }
        expect(await load(to, text, format)).toMatchObject({ ...want, already_there: count })
      }),
      { numRuns: 30 },
    )
  })

  test('an imported event id is marked for the workers', async () => {
    const to = await emptyProject()
    const row = { message: 'x', event_id: '5f0c1d2e3a4b4c5d8e9f001122334455' }
    await load(to, JSON.stringify([row, { message: 'y' }]), 'json')
    const { rows: kept } = await api().pool.query(
      `select message, event_id, look_at is not null as awaited from feedback where project_id = $1 order by message`,
      [to.tenant.project.dsnId],
    )
    expect(kept).toEqual([
      { message: 'x', event_id: '5f0c1d2e-3a4b-4c5d-8e9f-001122334455', awaited: true },
      { message: 'y', event_id: null, awaited: false },
    ])
  })
})

describe('rows', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['a date alone',           { created_at: '2024-05-31' },             '2024-05-31T00:00:00.000000Z'],
    ['no zone',                { created_at: '2024-05-31 12:30' },       '2024-05-31T12:30:00.000000Z'],
    ['an offset',              { created_at: '2024-05-31T12:30:01+02:00' }, '2024-05-31T10:30:01.000000Z'],
    ['milliseconds of 1970',   { created_at: 1446788856447 },            '2015-11-06T05:47:36.447000Z'],
    ['no such day',            { created_at: '2024-02-30' },             'created_at'],
    ['the future',             { created_at: '2999-01-01' },             'created_at'],
    ['a change in the future', { updated_at: '2999-01-01' },             'updated_at'],
    ['a list as a time',       { created_at: [] },                       'created_at'],
  ] as const)('%s', async (_name, fields, want) => {
    const to = await emptyProject()
    const report = await load(to, JSON.stringify([{ message: 'x', ...fields }]), 'json')
    if (want.startsWith('2')) expect(JSON.parse(await unload(to, 'json'))[0].created_at).toBe(want)
    else expect(report).toMatchObject({ added: 0, refused: 1, mistakes: [{ row: 1, field: want }] })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a source of another product', { source: 'Zendesk' },  { source: 'Import' },            'source'],
    ['a source of no text',         { source: { a: 1 } },   { source: 'Import' },            'source'],
    ['a source in small letters',   { source: 'widget' },   { source: 'Widget' },            undefined],
    ['no source',                   { source: ' ' },        { source: 'Import' },            undefined],
    ['an invalid event id',         { event_id: 'x-17' },   { message: 'x' },                'event_id'],
    ['the nil event id',            { event_id: '0'.repeat(32) }, { message: 'x' },          'event_id'],
    ['an address as a path',        { path: 'https://a.test/cart?sid=1#x' }, { path: '/cart' }, undefined],
    ['an issue and a project',      { issue_id: randomUUID(), project_id: randomUUID() }, { message: 'x' }, undefined],
  ] as const)('%s', async (_name, fields, want, noted) => {
    const to = await emptyProject()
    const report = await load(to, JSON.stringify([{ message: 'x', ...fields }]), 'json')
    expect(report).toMatchObject({ added: 1, refused: 0, ignored_columns: [] })
    expect(report.notes.map(({ field }: { field: string }) => field)).toEqual(noted ? [noted] : [])
    const [item] = JSON.parse(await unload(to, 'json'))
    expect(item).toMatchObject(want)
    if (noted) expect(item.event_id).toBeUndefined()
  })

  const fields = [
    ...['id', 'message', 'type', 'status', 'source', 'path', 'version', 'environment', 'component'],
    ...['event_id', 'person_name', 'person_email', 'enduser_id', 'archived', 'created_at'],
    ...['updated_at', 'colour', '__proto__'],
  ]
  test.each(fields)(
    'hostile values of %s cost no more than their own rows, each reported',
    async (field) => {
      const to = await emptyProject()
      const name = JSON.stringify(field)
      const said = field === 'message' ? '' : '"message": "x",'
      const hostile = hostileTexts.map((value) => `{${said} ${name}: ${value}}`)
      const text = `[${hostile.join(',')}, {"message": "good"}]`
      const report = await load(to, text, 'json')
      expect(report.rows).toBe(hostileTexts.length + 1)
      expect(report.added + report.refused).toBe(report.rows)
      expect(report.mistakes).toHaveLength(report.refused)
      expect(new Set(report.mistakes.map(({ row }: { row: number }) => row)).size).toBe(
        report.refused,
      )
      expect(report.ignored_columns).toEqual(['colour', '__proto__'].filter((one) => one === field))
      const exported = JSON.parse(await unload(to, 'json'))
      expect(exported.some(({ message }: { message: string }) => message === 'good')).toBe(true)
      const again = await emptyProject()
      await load(again, await unload(to, 'csv'), 'csv')
      expect(await unload(again, 'json')).toBe(await unload(to, 'json'))
    },
  )

  test('identical rows become two items; an id that occurs twice is refused', async () => {
    const to = await emptyProject()
    const csv = 'message\nSame\nSame\n'
    expect(await load(to, csv, 'csv')).toMatchObject({ added: 2, already_there: 0 })
    expect(await load(to, csv, 'csv')).toMatchObject({ added: 0, already_there: 2 })
    const id = randomUUID()
    const twice = JSON.stringify([
      { id, message: 'a' },
      { id: id.toUpperCase(), message: 'b' },
    ])
    expect(await load(to, twice, 'json')).toMatchObject({
      ...{ added: 1, refused: 1 },
      mistakes: [{ row: 2, field: 'id', rule: 'must be unique; row 1 has the same id' }],
    })
  })
})
