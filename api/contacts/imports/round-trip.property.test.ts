/** Importing our own export changes nothing in its newsletter, and restores it in another one. */

import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  exportContacts,
  type ImportDesk,
  importContacts,
  importDesk,
} from '../../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()
const seed = 20261122

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '=cmd()',
    "'=x",
    "''+1",
    '@a',
    '-1',
    '+49 30',
    '"',
    '""',
    ';',
    ',',
    'a\tb',
    "'",
    'null',
    '\u202e x',
  ),
  fc.constantFrom('line\nbreak', '\r\n', '{"a":1}', '\\', '…', '𝒳', '\u2028', ' lead', 'trail '),
)
/** The contact as the API would have stored it. */
const line = hostile
  .map((text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim())
  .map((text) => (text === '' || text.includes('\ufffd') ? null : text))
const attribValue = fc.oneof(
  hostile.filter((text) => !/[\0\ufffd]/.test(text)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  fc.boolean(),
)
const attribs = fc.dictionary(fc.stringMatching(/^[A-Za-z0-9-][A-Za-z0-9_-]{0,20}$/), attribValue, {
  maxKeys: 5,
})
const time = fc.date({
  min: new Date('2001-01-01'),
  max: new Date('2026-01-01'),
  noInvalidDate: true,
})
const local = fc.stringMatching(/^[a-z=+'-][a-z0-9=+'-]{0,12}$/)
const cause = fc.constantFrom('hard', 'soft_run', 'complaint', 'manual', null)

const contact = fc.record({
  local,
  cause,
  own: fc.constantFrom('pending', 'subscribed', 'unsubscribed'),
  name: line,
  source: line,
  suppressionSource: line,
  attribs,
  signupAt: time,
  confirmedAt: fc.option(time),
  unsubscribedAt: fc.option(time),
  suppressedAt: time,
})

type Given = typeof contact extends fc.Arbitrary<infer T> ? T : never

async function store({ tenant }: ImportDesk, given: readonly Given[]): Promise<void> {
  const { organizationId } = tenant
  for (const { local: part, own, ...of } of given) {
    const suppressed = of.cause !== null
    const status = of.cause === null ? own : of.cause === 'complaint' ? 'complained' : 'bounced'
    await api().pool.query(
      `with address as (
         insert into addresses (id, organization_id, email, email_key, suppressed_at, suppression_cause, suppression_source)
           values (uuidv7(), $1, $2, $2, $3, $4, $5) returning id
       )
       insert into contacts (id, organization_id, newsletter_id, address_id, status, status_before, name, attribs, source,
           signup_at, confirmed_at, unsubscribed_at)
         select uuidv7(), $1, n.id, address.id, $7, $8, $9, $10, $11, $12, $13, $14 from address, newsletters n where n.slug = $6`,
      [
        ...[organizationId, `${part}@example.com`, suppressed ? of.suppressedAt : null, of.cause],
        ...[suppressed ? of.suppressionSource : null, tenant.direct, status],
        ...[suppressed ? own : null, of.name, JSON.stringify(of.attribs), of.source],
        ...[of.signupAt, of.confirmedAt, of.unsubscribedAt],
      ],
    )
  }
}

/** The export without ids and newsletter, which differ between newsletters. */
function comparable(csv: string): unknown[] {
  const rows = parse(csv, { columns: true }) as Record<string, string>[]
  const kept = rows.map(({ id: _id, newsletter: _newsletter, attribs: json = '', ...row }) => ({
    ...row,
    attribs: json === '' ? {} : (JSON.parse(json) as object),
  }))
  return kept.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
}

test('importing an export changes nothing, and restores the contacts in an empty newsletter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(contact, { selector: (given) => given.local, minLength: 1, maxLength: 20 }),
      fc.constantFrom<(csv: string) => string | Buffer>(
        (csv) => csv,
        (csv) => Buffer.from(`\ufeff${csv}`),
        (csv) => Buffer.from(`\ufeff${csv}`, 'utf16le'),
      ),
      async (given, encoded) => {
        const desk = await importDesk(api())
        await store(desk, given)
        const exported = await exportContacts(api(), desk)
        const changesOf = () =>
          api().pool.query(
            `select c.updated_at, (select count(*) from contact_events e where e.contact_id = c.id) as events
             from contacts c where c.organization_id = $1 order by c.id`,
            [desk.tenant.organizationId],
          )
        const { rows: before } = await changesOf()
        for (const updateExisting of ['false', 'true']) {
          const report = await importContacts(api(), desk, encoded(exported), { updateExisting })
          expect(report).toMatchObject({
            state: 'done',
            format: 'sluice',
            unchanged: given.length,
            problems: [],
            created: 0,
            updated: 0,
            refused: 0,
            suppressed: 0,
            warnings: [],
            ignoredColumns: ['id'],
          })
        }
        expect(await exportContacts(api(), desk)).toBe(exported)
        expect((await changesOf()).rows).toEqual(before)

        const other = await importDesk(api())
        const report = await importContacts(api(), other, encoded(exported))
        expect(report).toMatchObject({ created: given.length, problems: [], warnings: [] })
        expect(comparable(await exportContacts(api(), other))).toEqual(comparable(exported))
      },
    ),
    { seed, numRuns: 12 },
  )
})

test('of an export of all newsletters only the rows of one are imported', async () => {
  const desk = await importDesk(api())
  const { direct, confirming } = desk.tenant
  await importContacts(api(), desk, 'email\na@example.com\n')
  await importContacts(api(), desk, 'email\nb@example.com\n', { newsletter: confirming })
  const path = '/api/v1/admin/email/contacts/export'
  const all = (await api().call(path, { method: 'GET', login: desk.login }))
    .body as unknown as string
  expect(comparable(all)).toHaveLength(2)
  for (const newsletter of [direct, confirming]) {
    const report = await importContacts(api(), desk, all, { newsletter })
    expect(report).toMatchObject({ created: 0, unchanged: 1, refused: 1 })
    expect(report.problems).toMatchObject([{ field: 'newsletter' }])
  }
})
