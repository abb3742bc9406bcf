import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { pause, systemClock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { deleteIssueEvents } from './delete-issue-events.ts'
import { deletionContext } from './deletion-store.ts'

let pg: Pool
let project: ProjectId
let clickhouseUrl: string
let clickhouse: ClickHouseClient

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
  clickhouseUrl = fixture.stores.clickhouseUrl
  clickhouse ??= createClickHouse(clickhouseUrl, 'test')
})
afterAll(async () => {
  await clickhouse?.close()
})

const dayMs = 86_400_000

interface Row {
  readonly name: string
  readonly hash?: string
  readonly projectId?: number
  readonly partition?: number
  readonly generation?: number
  readonly seq: number
  readonly ageMs?: number
  readonly stands?: readonly string[]
}

async function addRows(rows: readonly Row[]): Promise<void> {
  const nowMs = systemClock.nowMs()
  await clickhouse.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: rows.map((row) => ({
      project_id: row.projectId ?? project,
      event_id: dashed(hashOf(row.name)),
      fingerprint: dashed(hashOf(row.hash ?? 'gone')),
      received_at: nowMs - (row.ageMs ?? 0),
      retention_days: 90,
      partition: row.partition ?? 0,
      stream_generation: row.generation ?? 2,
      stream_seq: row.seq,
      sampled_ids: (row.stands ?? []).map((name) => dashed(hashOf(name))),
      sampled_received_at: (row.stands ?? []).map(() => Math.floor(nowMs / 1000)),
    })),
  })
}

async function leftRows(): Promise<string[]> {
  const result = await clickhouse.query({
    query:
      'select toString(event_id) as id from events where project_id in ({p: UInt64}, {q: UInt64})',
    query_params: { p: project, q: project + 1_000_000 },
    format: 'JSONEachRow',
  })
  return (await result.json<{ id: string }>()).map(({ id }) => id)
}

async function addDeletion(hashes: readonly string[]): Promise<string> {
  const issueId = randomUUID()
  await pg.query(
    `insert into issue_deletions (project_id, issue_id, short_no, actor, event_count, sampled_count, hashes,
       partitions, generations, committed_seqs)
     values ($1, $2, 1, '{}', 1, 0, $3, '{0,1}', '{2,1}', '{100,50}')`,
    [project, issueId, hashes.map((name) => dashed(hashOf(name)))],
  )
  return issueId
}

function run(): Promise<void> {
  const { signal } = new AbortController()
  return deleteIssueEvents(
    deletionContext({ pg, clickhouse, clock: systemClock, sleep: pause, signal }),
  )
}

test('only the rows that the issue had when it was deleted are deleted', async () => {
  const issueId = await addDeletion(['gone', 'gone too'])
  await addRows([
    { name: 'committed', seq: 100 },
    { name: 'second hash', hash: 'gone too', seq: 7 },
    { name: 'former generation', generation: 1, seq: 5_000 },
    { name: 'other partition', partition: 1, generation: 1, seq: 50 },
    { name: 'old', seq: 3, ageMs: 3 * dayMs },
  ])
  const staying: Row[] = [
    { name: 'not committed then', seq: 101 },
    { name: 'beyond in its partition', partition: 1, generation: 1, seq: 51 },
    { name: 'partition that is not known', partition: 2, generation: 1, seq: 1 },
    { name: 'other hash', hash: 'other', seq: 4 },
    { name: 'other project', projectId: project + 1_000_000, seq: 4 },
  ]
  await addRows(staying)
  await run()
  expect((await leftRows()).sort()).toEqual(staying.map(({ name }) => dashed(hashOf(name))).sort())
  const { rows } = await pg.query('select finished_at from issue_deletions where issue_id = $1', [
    issueId,
  ])
  expect(rows[0].finished_at).toBeInstanceOf(Date)
})

test('ids in the dedup window stay known once, including those of sampled events', async () => {
  await addRows([
    { name: 'kept', seq: 1, partition: 1, generation: 1, stands: ['stood for'] },
    { name: 'too old', seq: 2, ageMs: 3 * dayMs },
  ])
  await addDeletion(['gone'])
  await run()
  // A second deletion of the same rows, as after a crash.
  await addDeletion(['gone'])
  await run()
  const { rows } = await pg.query(
    'select partition, record_id from item_ids where project_id = $1 order by record_id',
    [project],
  )
  const want = ['kept', 'stood for'].map((name) => dashed(hashOf(name))).sort()
  expect(rows).toEqual(want.map((record_id) => ({ partition: 1, record_id })))
})
