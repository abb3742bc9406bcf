/** Nothing is added to an organization that is being deleted: it would outlive the organization. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { commandLineActor } from '../audit/audit-store.ts'
import { invitePerson } from '../people/invite-person.ts'
import { createProject } from '../projects/create-project.ts'
import { deleteOrganization } from './delete-organization.ts'

const api = apiOfThisFile()

const delivery = { kind: 'returned' } as const
const guest = { email: 'guest@people.test', role: 'member', name: null, delivery } as const

async function waitingCount(): Promise<number> {
  const { rows } = await api().pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}

test('a project or a person that was requested before the deletion and comes after it', async () => {
  const { ctx, pool } = api()
  const { organizationId } = await api().tenant('Closes')
  const actor = commandLineActor(organizationId)
  let late: Promise<unknown[]> = Promise.resolve([])
  const held = await pool.connect()
  try {
    await held.query('begin')
    await held.query('select from organizations where id = $1 for update', [organizationId])
    await held.query(
      `insert into deletions (id, kind, organization_id, requested_via, waits_until)
       values ($1, 'organization', $2, 'command_line', now())`,
      [randomUUID(), organizationId],
    )
    late = Promise.allSettled([
      createProject(ctx, actor, { name: 'Late' }),
      invitePerson(ctx, actor, guest),
    ])
    await expect.poll(waitingCount).toBe(2)
    await held.query('commit')
  } finally {
    held.release()
  }
  const refused = { status: 'rejected', reason: { code: 'not_found' } }
  expect(await late).toMatchObject([refused, refused])
})

test('a project or a person that is requested after the deletion', async () => {
  const { ctx, pool } = api()
  const { organizationId } = await api().tenant('Closed')
  const actor = commandLineActor(organizationId)
  await deleteOrganization(ctx, actor, { confirm: undefined })
  const refused = { code: 'not_found' }
  await expect(createProject(ctx, actor, { name: 'Late' })).rejects.toMatchObject(refused)
  await expect(invitePerson(ctx, actor, guest)).rejects.toMatchObject(refused)
  const { rowCount } = await pool.query('select from people where email = $1', [guest.email])
  expect(rowCount).toBe(0)
})
