import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { expireContacts } from './contact-retention.ts'

let stores: TestStores
let pool: Pool
const organizationId = uuidv7()
const newsletterId = uuidv7()
beforeAll(async () => {
  stores = await startStores()
  const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 2 }
  pool = createPool(options, createLogger('test', 'silent'))
  await pool.query(`insert into organizations (id, name) values ($1, 'Acme')`, [organizationId])
  await pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address) values ($1, $2, 'n', 'N', 'n@acme.test')`,
    [newsletterId, organizationId],
  )
})
afterAll(async () => {
  await pool.end()
  await stores.stop()
})

const now = new Date('2026-11-21T01:30:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3_600_000)

interface Person {
  readonly status?: string
  readonly askedDaysAgo: number
  readonly expiredDaysAgo: number
  readonly suppressed?: boolean
  readonly email?: string
}

async function add(name: string, person: Person): Promise<void> {
  const [addressId, contactId] = [uuidv7(), uuidv7()]
  await pool.query(
    `insert into addresses (id, organization_id, email_key, email, suppressed_at, suppression_cause)
     values ($1, $2, $3, $3, $4, $5)`,
    [addressId, organizationId, name, ...(person.suppressed ? [now, 'manual'] : [null, null])],
  )
  await pool.query(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status, updated_at) values ($1, $2, $3, $4, $5, $6)`,
    [
      contactId,
      organizationId,
      newsletterId,
      addressId,
      person.status ?? 'pending',
      daysAgo(person.askedDaysAgo),
    ],
  )
  await pool.query(
    'insert into confirm_tokens (token_hash, contact_id, expires_at) values ($1, $2, $3)',
    [...[Buffer.from(name), contactId, daysAgo(person.expiredDaysAgo)]],
  )
  await pool.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text)
     values ($1, $2, $3, $4, 0, 'a', 'b', 's', 't')`,
    [uuidv7(), organizationId, addressId, person.email ?? 'confirmation'],
  )
}

test('an unconfirmed contact is deleted 30 days after its last link expired, and all others stay', async () => {
  await add('over', { askedDaysAgo: 37.1, expiredDaysAgo: 30.1 })
  await add('over, known otherwise', {
    askedDaysAgo: 40,
    expiredDaysAgo: 33,
    email: 'transactional',
  })
  await add('over, suppressed', { askedDaysAgo: 40, expiredDaysAgo: 33, suppressed: true })
  await add('not yet', { askedDaysAgo: 36.9, expiredDaysAgo: 29.9 })
  await add('confirmed', { askedDaysAgo: 90, expiredDaysAgo: 83, status: 'subscribed' })
  await add('unsubscribed', { askedDaysAgo: 90, expiredDaysAgo: 83, status: 'unsubscribed' })
  expect(await expireContacts(pool, now)).toBe(3)
  expect(await expireContacts(pool, now)).toBe(0)

  const names = async (sql: string) => (await pool.query(sql)).rows.map(({ name }) => name)
  expect(
    await names(
      `select email_key as name from contacts c join addresses a on a.id = c.address_id order by name`,
    ),
  ).toEqual(['confirmed', 'not yet', 'unsubscribed'])
  expect(await names('select email_key as name from addresses order by name')).toEqual([
    ...['confirmed', 'not yet', 'over, known otherwise', 'over, suppressed', 'unsubscribed'],
  ])
  expect(
    await names(`select convert_from(token_hash, 'UTF8') as name from confirm_tokens`),
  ).toEqual(['not yet'])
})

test('rate limit windows are deleted once they have expired', async () => {
  const end = (ms: number) => new Date(now.getTime() + ms)
  await pool.query(`insert into rate_windows values ('over', '{}', $1), ('open', '{}', $2)`, [
    ...[end(-1), end(1)],
  ])
  await expireContacts(pool, now)
  const { rows } = await pool.query('select bucket from rate_windows')
  expect(rows).toEqual([{ bucket: 'open' }])
})
