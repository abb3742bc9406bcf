import { afterAll, beforeEach, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { countIssueUsers } from './issue-user-store.ts'

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient | undefined

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
afterAll(() => clickhouse?.close())

beforeEach(async () => {
  const partition = await TestPartition.takeNew(pg)
  // The second issue has two grouping hashes.
  await partition.commit({ issues: [sumOf(project, ['a']), sumOf(project, ['b', 'b too'])] })
})

interface User {
  readonly user_id?: string
  readonly user_email?: string
  readonly user_name?: string
  readonly user_ip?: string
}

let stored = 0
async function events(of: string, ...users: readonly User[]): Promise<void> {
  const at = '2026-11-16 10:00:00'
  await clickhouse!.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: users.map((user) => {
      stored += 1
      return {
        project_id: project,
        event_id: dashed(hashOf(`event ${stored}`)),
        fingerprint: dashed(hashOf(of)),
        occurred_at: at,
        received_at: at,
        level: 'error',
        platform: 'node',
        title: 't',
        culprit: 'c',
        grouping: '{}',
        payload: '{}',
        retention_days: 10_000,
        ...user,
      }
    }),
  })
}

async function ids(): Promise<string[]> {
  const { rows } = await pg.query('select id from issues where project_id = $1 order by short_no', [
    project,
  ])
  return rows.map(({ id }) => id)
}

const counts = async (issueIds: readonly string[], store = clickhouse!) => {
  const found = await countIssueUsers({ pg, clickhouse: store }, issueIds)
  return issueIds.map((id) => found.get(id))
}

test('users are distinct, by the first that is known of id, email, name and address', async () => {
  await events('a', { user_id: '7' }, { user_id: '7', user_email: 'a@x.test' }, { user_id: '8' })
  await events('a', { user_email: '7' }, { user_name: '7' }, { user_ip: '7' }, { user_ip: '7' }, {})
  expect(await counts(await ids())).toEqual([5, undefined])
})

test('an issue has the users of all its hashes, and those of no other project', async () => {
  await events('a', { user_id: '1' })
  await events('b', { user_id: '1' }, { user_id: '2' })
  await events('b too', { user_id: '2' }, { user_id: '3' })
  const [a, b] = await ids()
  expect(await counts([b!, a!])).toEqual([3, 1])
  expect(await counts([b!])).toEqual([3])
})

test('an issue without users has none, one that is gone is left out, and nothing asks nothing', async () => {
  await events('a', {})
  const [a] = await ids()
  expect(await counts([a!, '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'])).toEqual([0, undefined])
  const broken = { query: () => Promise.reject(new Error('asked')) } as unknown as ClickHouseClient
  expect(await counts([], broken)).toEqual([])
})

test('a notification does not wait for a ClickHouse that is away', async () => {
  await events('a', { user_id: '1' })
  const away = { query: () => Promise.reject(new Error('away')) } as unknown as ClickHouseClient
  expect(await counts(await ids(), away)).toEqual([undefined, undefined])
})
