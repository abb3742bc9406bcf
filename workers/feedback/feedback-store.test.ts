import { afterAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { TestStores } from '../../test/fixtures/processes/stores.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { eventFrame } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { type Plain, written } from '../../test/fixtures/workers/written.ts'
import { digestRange } from '../digest/digest-range.ts'
import { insertRows } from '../rows/row-store.ts'
import { feedbackLinks, insertFeedback } from './feedback-store.ts'
import { linkFeedbackToEvents } from './link-feedback.ts'
import type { Feedback } from './parse-feedback.ts'

let stores: TestStores
let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient | undefined

usePostgres((fixture) => {
  ;({ stores, pg, project } = fixture)
  clickhouse ??= createClickHouse(stores.clickhouseUrl, 'test')
})
afterAll(() => clickhouse?.close())

const nowMs = Date.UTC(2026, 10, 20, 12, 30)

function feedbackOf(fields: Partial<Plain<Feedback>>): Feedback {
  return written<Feedback>({
    ...{ projectId: project, id: 'ab'.repeat(16), message: 'it\'s \\ "broken"', type: 'Bug' },
    ...{ source: 'Api', path: null, version: null, environment: null, component: null },
    ...{ personName: null, personEmail: null, eventId: null, receivedAtMs: nowMs },
    ...fields,
  })
}

const insert = (...feedback: Feedback[]) =>
  inTransaction(pg, (client) => insertFeedback(client, feedback, new Set([project])))

async function rows() {
  const { rows } = await pg.query(
    `select message, version, path, environment, event_hash is not null as linked, look_at
     from feedback where project_id = $1 order by id`,
    [project],
  )
  return rows
}

test('feedback that is sent again changes nothing', async () => {
  await insert(feedbackOf({}))
  await pg.query(`update feedback set status = 'Resolved' where project_id = $1`, [project])
  await insert(feedbackOf({ message: 'other' }))
  const { rows } = await pg.query('select message, status from feedback where project_id = $1', [
    project,
  ])
  expect(rows).toEqual([{ message: 'it\'s \\ "broken"', status: 'Resolved' }])
})

test('feedback of a deleted project is skipped', async () => {
  await insert(feedbackOf({ projectId: 999_999 as ProjectId }))
  expect(await rows()).toEqual([])
})

test('the event is found when it is stored, and its values fill empty fields', async () => {
  const links = feedbackLinks(pg, clickhouse!)
  const searchAt = (atMs: number) =>
    linkFeedbackToEvents(links, { nowMs: () => atMs, monotonicMs: () => 0 } as Clock)
  const eventId = hashOf('the event')
  await insert(
    feedbackOf({ id: '01'.repeat(16), eventId }),
    feedbackOf({ id: '02'.repeat(16), eventId, version: 'own', environment: 'mine', path: '/x' }),
    feedbackOf({ id: '03'.repeat(16), eventId: hashOf('an event that never comes') }),
    feedbackOf({ id: '04'.repeat(16) }),
  )
  await searchAt(nowMs + 1_000)
  expect((await rows()).map(({ linked }) => linked)).toEqual([false, false, false, false])

  const payload = JSON.stringify({
    message: 'late',
    release: 'shop@2',
    environment: 'prod',
    request: { url: 'https://shop.example.test/pay?x=1' },
  })
  const number = { instanceId: hashOf('boot'), partition: 0, counter: 0 }
  const bytes = eventFrame(number, [{ name: 'the event', projectId: project, payload }])
  const { eventRows } = digestRange({
    ...{ partition: 0, generation: 1, retentionDays: 60_000, frames: [{ streamSeq: 1, bytes }] },
  })
  await insertRows(clickhouse!, { table: 'events', rows: eventRows, token: 'feedback' })
  await searchAt(nowMs + 5_000)
  expect((await rows()).map(({ linked }) => linked)).toEqual([false, false, false, false])
  await searchAt(nowMs + 12_000)
  expect(await rows()).toMatchObject([
    { linked: true, version: 'shop@2', environment: 'prod', path: '/pay', look_at: null },
    { linked: true, version: 'own', environment: 'mine', path: '/x', look_at: null },
    { linked: false, version: null, look_at: new Date(nowMs + 24_000) },
    { linked: false, look_at: null },
  ])
})
