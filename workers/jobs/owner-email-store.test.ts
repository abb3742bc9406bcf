import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { queueOwnerEmail } from './owner-email-store.ts'

let pg: Pool
usePostgres(async (fixture) => {
  pg = fixture.pg
})

test('a warning is one row of the ledger even if its job runs twice', async () => {
  const organizationId = uuidv7()
  await pg.query('insert into organizations (id, name) values ($1, $2)', [organizationId, 'Acme'])
  const email = { organizationId, subject: 'Used up', text: 'All of it.' }
  const from = { name: 'Sluice', email: 'sluice@sluice.test' }
  for (const to of ['ada@acme.test', 'ada@acme.test', 'bob@acme.test', 'not an address']) {
    await queueOwnerEmail(pg, { ...email, to, key: `quota 7 2026-11-01 80 ${to}` }, from)
  }
  await queueOwnerEmail(pg, { ...email, to: 'ada@acme.test', key: 'quota 7 2026-11-01 100' }, from)
  const { rows } = await pg.query(
    `select s.kind, s.to_address, s.subject, a.email from sends s join addresses a on a.id = s.address_id
     where s.organization_id = $1 order by to_address`,
    [organizationId],
  )
  const sent = { kind: 'system', subject: 'Used up' }
  expect(rows).toEqual([
    { ...sent, to_address: 'ada@acme.test', email: 'ada@acme.test' },
    { ...sent, to_address: 'ada@acme.test', email: 'ada@acme.test' },
    { ...sent, to_address: 'bob@acme.test', email: 'bob@acme.test' },
  ])
})
