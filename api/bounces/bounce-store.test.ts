import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import type { BounceType } from '#schemas/mail/bounce.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { endSoftRun, ensureAddress } from '../contacts/address-store.ts'
import { createPostgres, type Postgres } from '../database.ts'
import { addOrganization } from '../organization/organization-store.ts'
import { type NewBounce, recordBounce } from './bounce-store.ts'

let stores: TestStores
let pool: Pool
let pg: Postgres
let organizationId: string
let addressId: string
let addressCount = 0

beforeAll(async () => {
  stores = await startStores()
  pool = createPool(
    { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 6 },
    createLogger('test', 'silent'),
  )
  pg = createPostgres(pool)
  organizationId = (await addOrganization(pool, { name: 'Bounces' })).id
})
afterAll(async () => {
  await pool.end()
  await stores.stop()
})
beforeEach(async () => {
  addressId = await newAddress()
})

const startMs = Date.parse('2026-11-21T01:30:00.000Z')
const hourMs = 3_600_000

async function newAddress(): Promise<string> {
  addressCount += 1
  const email = `contact${addressCount}@example.test`
  return (await ensureAddress(pg, { organizationId, email, key: email })).id
}

async function addContact(status: string, statusBefore: string | null = null): Promise<string> {
  const newsletterId = uuidv7()
  const id = uuidv7()
  await pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address)
       values ($1, $2, $3, 'News', 'news@example.test')`,
    [newsletterId, organizationId, `n${newsletterId}`],
  )
  await pool.query(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status, status_before)
       values ($1, $2, $3, $4, $5, $6)`,
    [id, organizationId, newsletterId, addressId, status, statusBefore],
  )
  return id
}

function bounce(type: BounceType, parts: Partial<NewBounce> & { hour?: number } = {}) {
  const now = new Date(startMs + (parts.hour ?? 0) * hourMs)
  return recordBounce(pg, { addressId, type, cause: null, counts: true, at: now, ...parts }, now)
}

async function handOver(hour: number): Promise<void> {
  const at = new Date(startMs + hour * hourMs)
  await pool.query('update addresses set last_sent_at = $2 where id = $1', [addressId, at])
}

function lift(): Promise<unknown> {
  const now = new Date(startMs)
  return pool.query(`select lift_suppression($1, 'asked for it', 'dashboard', $2)`, [
    addressId,
    now,
  ])
}

async function stored(): Promise<{ cause: string | null; run: number }> {
  const { rows } = await pool.query(
    'select suppression_cause as cause, soft_run as run from addresses where id = $1',
    [addressId],
  )
  return rows[0]
}

async function statusOf(contactId: string): Promise<string> {
  const { rows } = await pool.query('select status from contacts where id = $1', [contactId])
  return rows[0].status
}

// biome-ignore format: the columns are the point
const runs: [why: string, steps: (number | `sent ${number}` | 'proof' | 'lift')[], want: { cause: string | null; run: number }][] = [
  ['three in a row suppress, a second apart',           [0, 0.0003, 0.0006],                                   { cause: 'soft_run', run: 3 }],
  ['three in a row suppress, a year apart',             [0, 4_000, 8_000],                                     { cause: 'soft_run', run: 3 }],
  ['two do not',                                        [0, 1],                                                { cause: null, run: 2 }],
  ['proof of delivery ends a run',                      [0, 1, 'proof', 2, 3],                                 { cause: null, run: 2 }],
  ['72 hours of silence after a later email end it',    [0, 1, 'sent 2', 75],                                  { cause: null, run: 1 }],
  ['71 hours do not',                                   [0, 1, 'sent 2', 73],                                  { cause: 'soft_run', run: 3 }],
  ['nor does silence without an email',                 [0, 1, 200],                                           { cause: 'soft_run', run: 3 }],
  ['nor after an email from before the bounce',         [0, 'sent 0.5', 1, 200],                               { cause: 'soft_run', run: 3 }],
  ['an email each day: the first one counts, not the last', [0, 1, 'sent 24', 'sent 48', 'sent 72', 'sent 96', 97], { cause: null, run: 1 }],
  ['the email that bounces is no proof',                [0, 1, 'sent 200', 200.1],                             { cause: 'soft_run', run: 3 }],
  ['a run that began again continues',                    [0, 1, 'sent 2', 80, 81, 82],                          { cause: 'soft_run', run: 3 }],
  ['lifting ends it',                                   [0, 1, 2, 'lift', 3, 4],                               { cause: null, run: 2 }],
]

test.each(runs)('%s', async (_why, steps, want) => {
  for (const step of steps) {
    if (step === 'proof') await endSoftRun(pg, addressId)
    else if (step === 'lift') await lift()
    else if (typeof step === 'string') await handOver(Number(step.slice('sent '.length)))
    else await bounce('soft', { hour: step })
  }
  expect(await stored()).toEqual(want)
})

test('three concurrent soft bounces count three and suppress once', async () => {
  const contact = await addContact('subscribed')
  const answers = await Promise.all([bounce('soft'), bounce('soft'), bounce('soft')])
  const sorted = answers.sort((a, b) => a.softBounces - b.softBounces)
  expect(sorted).toEqual([
    { outcome: 'counted', suppressed: false, softBounces: 1 },
    { outcome: 'counted', suppressed: false, softBounces: 2 },
    { outcome: 'counted', suppressed: true, softBounces: 3 },
  ])
  const { rows } = await pool.query('select kind from contact_events where contact_id = $1', [
    contact,
  ])
  expect(rows).toEqual([{ kind: 'bounced' }])
})

// biome-ignore format: the columns are the point
const causes: [first: BounceType | 'manual', then: BounceType, cause: string, status: string, counted: boolean][] = [
  ['hard',      'hard',      'hard',      'bounced',    false],
  ['hard',      'soft',      'hard',      'bounced',    false],
  ['hard',      'complaint', 'complaint', 'complained', true],
  ['manual',    'complaint', 'complaint', 'complained', true],
  ['manual',    'hard',      'manual',    'bounced',    false],
  ['complaint', 'hard',      'complaint', 'complained', false],
  ['complaint', 'complaint', 'complaint', 'complained', false],
]

test.each(causes)(
  '%s, then %s: cause %s, contacts %s',
  async (first, then, cause, status, counted) => {
    const contact = await addContact('subscribed')
    const now = new Date(startMs)
    if (first === 'manual') {
      await pool.query(`select suppress_address($1, 'manual', null, 'dashboard', $2)`, [
        addressId,
        now,
      ])
    } else await bounce(first)
    expect(await bounce(then)).toMatchObject({ outcome: 'counted', suppressed: true })
    expect(await stored()).toMatchObject({ cause, run: 0 })
    expect(await statusOf(contact)).toBe(status)
    const reports = await pool.query(
      'select counted from bounce_reports where address_id = $1 order by id desc limit 1',
      [addressId],
    )
    expect(reports.rows).toEqual([{ counted }])
  },
)

// biome-ignore format: the columns are the point
const ways: [before: string, cause: BounceType, during: string, after: string][] = [
  ['pending',      'hard',      'bounced',    'pending'],
  ['subscribed',   'hard',      'bounced',    'subscribed'],
  ['unsubscribed', 'hard',      'bounced',    'unsubscribed'],
  ['pending',      'complaint', 'complained', 'unsubscribed'],
  ['subscribed',   'complaint', 'complained', 'unsubscribed'],
  ['bounced',      'hard',      'bounced',    'unsubscribed'],
]

test.each(ways)('%s, after a %s: %s; lifted: %s', async (before, cause, during, after) => {
  const contact = await addContact(before)
  await bounce(cause)
  expect(await statusOf(contact)).toBe(during)
  await lift()
  expect(await statusOf(contact)).toBe(after)
  expect(await stored()).toEqual({ cause: null, run: 0 })
})

test('the contacts of the address change in all newsletters, and no other address does', async () => {
  const [one, two] = [await addContact('subscribed'), await addContact('pending')]
  const theirs = addressId
  addressId = await newAddress()
  const other = await addContact('subscribed')
  addressId = theirs
  await bounce('hard')
  const statuses = await Promise.all([one, two, other].map(statusOf))
  expect(statuses).toEqual(['bounced', 'bounced', 'subscribed'])
})

test('a report that is delivered twice counts once, one that names no event counts each time', async () => {
  const named = { source: 'sendgrid', eventId: 'e1' }
  expect(await bounce('soft', named)).toMatchObject({ outcome: 'counted', softBounces: 1 })
  expect(await bounce('soft', named)).toMatchObject({ outcome: 'duplicate', softBounces: 1 })
  expect(await bounce('soft', { source: 'resend', eventId: 'e1' })).toMatchObject({
    softBounces: 2,
  })
  expect(await bounce('soft', { source: 'resend' })).toMatchObject({ suppressed: true })
})

test('a bounce without effect is stored and changes nothing', async () => {
  const contact = await addContact('subscribed')
  const answer = await bounce('hard', { counts: false, excerpt: '5.7.1 blocked' })
  expect(answer).toEqual({ outcome: 'noted', suppressed: false, softBounces: 0 })
  expect(await statusOf(contact)).toBe('subscribed')
})

interface Model {
  run: number
  softAt: number | undefined
  cause: BounceType | 'soft_run' | undefined
}

/** The rules of a run, once more, over all emails: what the stored columns must not forget. */
function report(model: Model, emails: readonly number[], type: BounceType, hour: number): Model {
  if (type === 'complaint') return { ...model, cause: 'complaint' }
  if (model.cause !== undefined) return model
  if (type === 'hard') return { ...model, cause: 'hard' }
  const { softAt } = model
  const arrived = emails.some((at) => softAt !== undefined && softAt < at && at < hour - 72)
  const run = arrived ? 1 : model.run + 1
  return { ...model, run, softAt: hour, cause: run >= 3 ? 'soft_run' : undefined }
}

test('any history of emails and reports has the result of the model', async () => {
  const step = fc.record({
    what: fc.constantFrom('soft', 'soft', 'sent', 'sent', 'proof', 'hard', 'complaint', 'lift'),
    hours: fc.integer({ min: 1, max: 60 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      addressId = await newAddress()
      let model: Model = { run: 0, softAt: undefined, cause: undefined }
      const emails: number[] = []
      let hour = 0
      for (const { what, hours } of steps) {
        hour += hours
        if (what === 'sent') {
          emails.push(hour)
          await handOver(hour)
        } else if (what === 'proof') {
          await endSoftRun(pg, addressId)
          if (model.cause === undefined) model = { ...model, run: 0, softAt: undefined }
        } else if (what === 'lift') {
          await lift()
          if (model.cause !== undefined) {
            model = { run: 0, softAt: undefined, cause: undefined }
          }
        } else {
          const type = what as BounceType
          await bounce(type, { hour })
          model = report(model, emails, type, hour)
        }
        expect(await stored()).toEqual({ cause: model.cause ?? null, run: model.run })
      }
    }),
    { numRuns: 60, seed: 20_261_121 },
  )
})
