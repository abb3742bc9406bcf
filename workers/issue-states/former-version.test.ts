import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'

let pg: Pool
let project: ProjectId
let shortNo = 0

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})

/** As versions without the triage queue create an issue. */
async function create(): Promise<string> {
  shortNo += 1
  const { rows } = await pg.query<{ id: string }>(
    `insert into issues (id, project_id, short_no, substatus, count, sampled_count, first_seen, last_seen,
       title, culprit, level, platform)
     values ($1, $2, $3, 'new', 1, 0, now(), now(), 'Error', 'main', 'error', 'node')
     on conflict (id) do update set count = issues.count + 1 returning id`,
    [randomUUID(), project, shortNo],
  )
  return rows[0]!.id
}

const update = (id: string, columns: string) =>
  pg.query(`update issues set ${columns} where id = $1`, [id])

async function read(id: string) {
  const { rows } = await pg.query(
    `select triage_reason, triage_at is not null as queued, triage_left_at is not null as has_left,
       resolved_in, resolved_release, ignored_until_count, ignored_until_escalating, snoozed_until, escalated_at
     from issues where id = $1`,
    [id],
  )
  return rows[0]
}

const nothing = {
  resolved_in: null,
  resolved_release: null,
  ignored_until_count: null,
  ignored_until_escalating: false,
  snoozed_until: null,
  escalated_at: null,
}

test('an issue that a former version creates, resolves and reopens is in the queue while it is open', async () => {
  const id = await create()
  expect(await read(id)).toMatchObject({ triage_reason: 'new', queued: true })

  await update(id, `snoozed_until = now() + interval '1 day', escalated_at = now()`)
  await update(id, `status = 'resolved', substatus = null, resolved_at = now()`)
  expect(await read(id)).toMatchObject({ ...nothing, queued: false, has_left: true })

  // A newer version says how it was resolved; a former one knows nothing of it.
  await update(id, `resolved_in = 'release', resolved_release = 'app@1.0.0'`)
  await update(id, `status = 'unresolved', substatus = 'regressed', resolved_at = null`)
  expect(await read(id)).toMatchObject({ ...nothing, triage_reason: 'regressed', queued: true })
})

test('a former version that reopens an ignored issue ends its conditions', async () => {
  const id = await create()
  await update(
    id,
    `status = 'ignored', substatus = null, ignored_until_count = 10, ignored_until_escalating = true`,
  )
  expect(await read(id)).toMatchObject({ queued: false, ignored_until_count: 10 })
  await update(id, `status = 'unresolved', substatus = 'ongoing', resolved_at = null`)
  expect(await read(id)).toMatchObject({ ...nothing, queued: false })
})
