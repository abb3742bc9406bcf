/** One organization cannot use up what all of them share. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { commandLineActor } from '../audit/audit-store.ts'
import { erasePerson, erasuresWaitingMax } from './erase-person.ts'
import { exportOrganization } from './export-organization.ts'
import { exportPerson, showPerson } from './show-person.ts'

const api = apiOfThisFile()
const person = { email: 'ann@people.test' }
const actorOf = ({ organizationId }: Tenant) => commandLineActor(organizationId)

test('erasures of an organization that wait are bounded, and those of others go on', async () => {
  const { ctx, pool } = api()
  const [one, other] = [await api().tenant('Many'), await api().tenant('Few')]
  await pool.query(
    `insert into deletions (id, kind, organization_id, requested_via, waits_until)
     select gen_random_uuid(), 'person', $1, 'token', now() from generate_series(2, $2)`,
    [one.organizationId, erasuresWaitingMax],
  )
  const { id } = await erasePerson(ctx, actorOf(one), person)
  const refused = erasePerson(ctx, actorOf(one), person)
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 })
  await erasePerson(ctx, actorOf(other), person)
  await pool.query(`update deletions set state = 'done', finished_at = now() where id = $1`, [id])
  await erasePerson(ctx, actorOf(one), person)
})

test('an organization searches for one person at a time, and others meanwhile', async () => {
  const { ctx } = api()
  const [one, other] = [await api().tenant('Searches'), await api().tenant('Others')]
  const search = ({ organizationId }: Tenant) => showPerson(ctx, organizationId, person)
  const ends = await Promise.allSettled([search(one), search(one), search(other)])
  expect(ends).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'rate_limited' } },
    { status: 'fulfilled' },
  ])
  // A reader that goes leaves nothing behind.
  const lines = await exportPerson(ctx, actorOf(one), person)
  for await (const line of lines) if (line.includes('"row"')) break
  await search(one)
})

test('a reader that takes nothing loses the export of the organization', async () => {
  const { ctx, pool } = api()
  const tenant = await api().tenant('Slow')
  await pool.query(
    `insert into audit_log (id, organization_id, actor, via, action, subject_type, details)
     select gen_random_uuid(), $1, 'admin', 'command_line', 'project.created', 'project', jsonb_build_object('name', repeat('x', 10000))
     from generate_series(1, 100)`,
    [tenant.organizationId],
  )
  const stalled = await exportOrganization(ctx, actorOf(tenant), { idleMs: 50 })
  await expect(exportOrganization(ctx, actorOf(tenant))).rejects.toMatchObject({
    code: 'unavailable',
  })
  await expect(once(stalled, 'end')).rejects.toThrow('aborted')
  const next = await exportOrganization(ctx, actorOf(tenant))
  let text = ''
  for await (const chunk of next) text += chunk
  expect(JSON.parse(text.trimEnd().split('\n').at(-1)!)).toMatchObject({ type: 'trailer' })
})
