/** One organization cannot use up what all of them share. */
import { describe, expect, test } from 'vitest'
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
  await expect(search(one)).rejects.toMatchObject({ code: 'rate_limited' })
  lines.destroy()
  await expect.poll(() => search(one)).toBeDefined()
})

/** Puts 1 MB into the organization. */
async function fillAudit({ organizationId }: Tenant): Promise<void> {
  await api().pool.query(
    `insert into audit_log (id, organization_id, actor, via, action, subject_type, details)
     select gen_random_uuid(), $1, 'ann@people.test', 'command_line', 'project.created', 'project',
       jsonb_build_object('name', repeat('x', 10000))
     from generate_series(1, 100)`,
    [organizationId],
  )
}

const patient = { idleMsMax: 60_000, bytesPerSecondMin: 1 }

async function lastLineOf(lines: AsyncIterable<Uint8Array>): Promise<unknown> {
  let text = ''
  for await (const chunk of lines) text += chunk
  return JSON.parse(text.trimEnd().split('\n').at(-1)!)
}

describe('an export is cut off, and the next one begins, after a reader', () => {
  test.each([
    ['takes nothing', { ...patient, idleMsMax: 50 }, undefined],
    // It takes each piece long before it counts as idle, and would hold the export for hours.
    ['trickles', { idleMsMax: 200, bytesPerSecondMin: 1_000_000_000 }, 20],
  ])('%s', async (_, pace, pauseMs) => {
    const { ctx } = api()
    const tenant = await api().tenant('Slow')
    await fillAudit(tenant)
    for (const begin of [
      (paced?: typeof pace) => exportOrganization(ctx, actorOf(tenant), paced),
      (paced?: typeof pace) => exportPerson(ctx, actorOf(tenant), person, paced),
    ]) {
      const slow = await begin(pace)
      await expect(begin(patient)).rejects.toMatchObject({
        code: expect.stringMatching(/^(unavailable|rate_limited)$/),
      })
      const closed = new Promise((resolve) => slow.once('error', resolve))
      if (pauseMs !== undefined) {
        const reading = setInterval(() => slow.read(), pauseMs)
        slow.once('close', () => clearInterval(reading))
      }
      expect(await closed).toMatchObject({ name: 'AbortError' })
      expect(await lastLineOf(await begin(patient))).toMatchObject({ type: 'trailer' })
    }
  })
})

test('of two exports that begin at once, one is refused', async () => {
  const { ctx } = api()
  const tenant = await api().tenant('Twice')
  const begin = () => exportOrganization(ctx, actorOf(tenant))
  const ends = await Promise.allSettled([begin(), begin()])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  for (const end of ends) if (end.status === 'fulfilled') await lastLineOf(end.value)
})

test('a person with very many long emails is counted and exported in small parts', async () => {
  const { ctx, pool } = api()
  const { organizationId, ...tenant } = await api().tenant('Mailed')
  await pool.query(
    `with address as (
       insert into addresses (id, organization_id, email, email_key)
       values (gen_random_uuid(), $1, $2, $2) returning id
     )
     insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, state)
     select gen_random_uuid(), $1, address.id, 'transactional', 1, 'a@b.test', $2, 's', repeat(md5(n::text), 2000), 'sent'
     from address, generate_series(1, 150) n`,
    [organizationId, person.email],
  )
  expect((await showPerson(ctx, organizationId, person)).rows).toEqual({ addresses: 1, sends: 150 })
  const lines = await exportPerson(ctx, actorOf({ organizationId, ...tenant }), person)
  expect(await lastLineOf(lines)).toEqual({ type: 'trailer', rows: { addresses: 1, sends: 150 } })
})
