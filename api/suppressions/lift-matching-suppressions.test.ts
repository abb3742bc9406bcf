import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import {
  type Answer,
  apiOfThisFile,
  fixtureNowMs,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'

const fixture = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin
let tenantCount = 0
beforeEach(async () => {
  tenantCount += 1
  tenant = await fixture().tenant(`Bulk ${tenantCount}`)
  owner = await fixture().login(tenant)
})

const hourMs = 3_600_000
const at = (hour: number) => new Date(fixtureNowMs + hour * hourMs)

/** Name, cause, source and hour of a suppressed address. */
type Suppressed = readonly [name: string, cause: string, source: string | null, hour: number]

// biome-ignore format: the columns are the point
const addresses: readonly Suppressed[] = [
  ['ses-old',    'hard',      'ses',      -48],
  ['ses-new',    'hard',      'ses',       -2],
  ['smtp-new',   'hard',      'smtp',      -2],
  ['soft',       'soft_run',  'ses',       -2],
  ['complained', 'complaint', 'ses',       -2],
  ['by hand',    'manual',    null,        -2],
]

async function suppress(organizationId = tenant.organizationId, rows = addresses): Promise<void> {
  for (const [name, cause, source, hour] of rows) {
    await fixture().pool.query(
      `insert into addresses
         (id, organization_id, email_key, email, suppressed_at, suppression_cause, suppression_source)
         values ($1, $2, $3, $3, $4, $5, $6)`,
      [uuidv7(), organizationId, name, at(hour), cause, source],
    )
  }
}

async function stillSuppressed(organizationId = tenant.organizationId): Promise<string[]> {
  const { rows } = await fixture().pool.query(
    `select email_key from addresses where organization_id = $1 and suppressed_at is not null`,
    [organizationId],
  )
  return rows.map(({ email_key }) => email_key)
}

function lift(body: object, login = owner): Promise<Answer> {
  return fixture().call('/api/v1/admin/email/suppressions/lift-matching', {
    method: 'POST',
    body: { reason: 'an error', dryRun: false, ...body },
    login,
  })
}

// biome-ignore format: the columns are the point
test.each([
  [{ cause: 'hard' },                                     ['ses-old', 'ses-new', 'smtp-new']],
  [{ cause: 'hard', source: 'ses' },                      ['ses-old', 'ses-new']],
  [{ source: 'ses' },                                     ['ses-old', 'ses-new', 'soft']],
  [{ source: 'ses', from: at(-24).toISOString() },        ['ses-new', 'soft']],
  [{ from: at(-48).toISOString(), to: at(-2).toISOString() }, ['ses-old']],
  [{ to: at(-2).toISOString() },                          ['ses-old']],
  [{ to: at(900).toISOString() },                         ['ses-old', 'ses-new', 'smtp-new', 'soft']],
  [{ from: at(-2).toISOString().replace('Z', '+00:00') }, ['ses-new', 'smtp-new', 'soft']],
  [{ cause: 'manual' },                                   ['by hand']],
  [{ cause: 'complaint', complaint: true },               ['complained']],
  [{ source: 'ses', complaint: true },                    ['ses-old', 'ses-new', 'soft']],
  [{ source: 'nobody' },                                  []],
])('%j lifts the matching suppressions', async (body, want) => {
  await suppress()
  const dry = await lift({ ...body, dryRun: true })
  const remaining = want.length
  expect(dry).toMatchObject({
    status: 200,
    body: { dryRun: true, matched: want.length, lifted: 0, remaining },
  })
  expect(await stillSuppressed()).toHaveLength(addresses.length)
  const done = await lift(body)
  expect(done.body).toEqual({ dryRun: false, matched: want.length, lifted: want.length, remaining: 0 })
  const left = await stillSuppressed()
  expect(addresses.map(([name]) => name).filter((name) => !left.includes(name))).toEqual(want)
  const { rows } = await fixture().pool.query(
    `select details->'count' as count, details->>'reason' as reason from audit_log
       where organization_id = $1 and action = 'suppression.lifted_in_bulk'`,
    [tenant.organizationId],
  )
  expect(rows).toEqual(want.length === 0 ? [] : [{ count: want.length, reason: 'an error' }])
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing named',            {},                                       400, 'cause'],
  ['an invalid cause',         { cause: 'bounced' },                     400, 'cause'],
  ['no reason',                { cause: 'hard', reason: ' ' },           400, 'reason'],
  ['no word on dryRun',        { cause: 'hard', dryRun: undefined },     400, 'dryRun'],
  ['a day for a time',         { from: '2026-11-21' },                   400, 'from'],
  ['an unknown field',         { cause: 'hard', sources: 'ses' },        400, ''],
  ['NUL in the source',        { source: '\0' },                         400, 'source'],
  ['complaints, not aware',    { cause: 'complaint' },                   409, 'complaint'],
])('%s is refused', async (_why, body, status, field) => {
  await suppress()
  const answer = await lift(body)
  expect(answer.status).toBe(status)
  expect(JSON.stringify(answer.body)).toContain(field)
  expect(await stillSuppressed()).toHaveLength(addresses.length)
})

test('many suppressions are lifted in batches, and contacts get their status back', async () => {
  const many = 2_500
  await fixture().pool.query(
    `insert into addresses (id, organization_id, email_key, suppressed_at, suppression_cause, suppression_source)
       select uuidv7(), $1, 'a' || n || '@example.test', $2, 'hard', 'ses' from generate_series(1, $3) n`,
    [tenant.organizationId, at(-1), many],
  )
  expect((await lift({ source: 'ses' })).body).toMatchObject({ lifted: many, remaining: 0 })
  const { rows } = await fixture().pool.query(
    `select sum((details->>'count')::int)::int as sum, count(*)::int as entries from audit_log
       where organization_id = $1 and action = 'suppression.lifted_in_bulk'`,
    [tenant.organizationId],
  )
  expect(rows).toEqual([{ sum: many, entries: 3 }])
})

test('another organization keeps its suppressions, and only an owner lifts in bulk', async () => {
  await suppress()
  const other = await fixture().tenant(`Other ${tenantCount}`)
  await suppress(other.organizationId)
  await lift({ cause: 'hard' })
  expect(await stillSuppressed(other.organizationId)).toHaveLength(addresses.length)
  const member = await fixture().login(tenant, 'member')
  expect((await lift({ cause: 'soft_run' }, member)).status).toBe(403)
})

test('a blank source is refused, because it would lift those of all sources', async () => {
  await suppress()
  for (const source of ['', '  ']) {
    const { status, body } = await lift({ cause: 'hard', source })
    expect(status).toBe(400)
    expect(body).toMatchObject({ details: [{ field: 'source', rule: 'must not be blank' }] })
  }
  expect(await stillSuppressed()).toHaveLength(addresses.length)
})
