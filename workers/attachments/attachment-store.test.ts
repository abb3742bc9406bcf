import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { attachmentKey, dayOf } from '#platform/objects/attachment-key.ts'
import type { Pool } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { MemoryObjectStore } from '../../test/fixtures/objects/memory-object-store.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { deleteIssueEvents } from '../deletions/delete-issue-events.ts'
import { deletionContext } from '../deletions/deletion-store.ts'
import type { AttachmentRow } from './attachment-row.ts'
import { sweepAttachments } from './sweep-attachments.ts'
import { sweepPorts } from './sweep-store.ts'

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})
afterAll(() => clickhouse?.close())

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 23, 12)
const sha = (name: string) => hashOf(name).repeat(2)

function rowOf(event: string, file: string, changes: Partial<AttachmentRow> = {}): AttachmentRow {
  return {
    projectId: project,
    eventId: dashed(hashOf(event)),
    id: dashed(hashOf(`${event} ${file}`)),
    name: `${file}.txt`,
    type: 'event.attachment',
    contentType: 'text/plain',
    size: 3,
    sha256: sha(file),
    storedOn: dayOf(nowMs - 3 * dayMs),
    receivedAtMs: nowMs - 3 * dayMs,
    retentionDays: 30,
    ...changes,
  }
}

async function names(): Promise<string[]> {
  const { rows } = await pg.query<{ name: string }>(
    'select name from event_attachments where project_id = $1 order by name',
    [project],
  )
  return rows.map(({ name }) => name)
}

test('a record that is committed again is one row, which expires with its event', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({ attachments: [rowOf('e', 'a'), rowOf('e', 'b')] })
  await partition.commit({ attachments: [rowOf('e', 'a'), rowOf('e2', 'a')] })
  expect(await names()).toEqual(['a.txt', 'a.txt', 'b.txt'])
  const { rows } = await pg.query(
    `select distinct encode(sha256, 'hex') as sha256, size::int, stored_on::text,
       received_at, expires_at from event_attachments where name = 'a.txt' and project_id = $1`,
    [project],
  )
  expect(rows).toEqual([
    {
      sha256: sha('a'),
      size: 3,
      stored_on: '2026-11-20',
      received_at: new Date(nowMs - 3 * dayMs),
      expires_at: new Date(nowMs + 27 * dayMs),
    },
  ])
})

test('files of a project that is gone are dropped', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({ attachments: [rowOf('e', 'a', { projectId: 999_999 as ProjectId })] })
  const { rows } = await pg.query('select from event_attachments where project_id = 999999')
  expect(rows).toEqual([])
})

test('the files of a deleted issue go, also those of events that a sample stands for', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({
    attachments: [rowOf('gone', 'a'), rowOf('sampled', 'b'), rowOf('staying', 'c')],
  })
  const event = (name: string, hash: string, sampled: readonly string[] = []) => ({
    project_id: project,
    event_id: dashed(hashOf(name)),
    fingerprint: dashed(hashOf(hash)),
    received_at: systemClock.nowMs(),
    retention_days: 90,
    partition: 0,
    stream_generation: 1,
    stream_seq: 1,
    sampled_ids: sampled.map((one) => dashed(hashOf(one))),
    sampled_received_at: sampled.map(() => 1),
  })
  await clickhouse.insert({
    table: 'events',
    format: 'JSONEachRow',
    values: [event('gone', 'old issue', ['sampled']), event('staying', 'other issue')],
  })
  await pg.query(
    `insert into issue_deletions (project_id, issue_id, short_no, actor, event_count, sampled_count, hashes,
       partitions, generations, committed_seqs)
     values ($1, $2, 1, '{}', 1, 0, $3, '{0}', '{1}', '{9}')`,
    [project, randomUUID(), [dashed(hashOf('old issue'))]],
  )
  const { signal } = new AbortController()
  await deleteIssueEvents(
    deletionContext({ pg, clickhouse, clock: systemClock, sleep: pause, signal }),
  )
  expect(await names()).toEqual(['c.txt'])
})

/** A sweep on the given day, with a stream that has nothing to read. */
async function sweep(objects: MemoryObjectStore, atMs: number): Promise<number> {
  const ends = { layout: { first: 0, partitions: 1 }, lastSeq: async () => 0, graceMs: 0 }
  const { signal } = new AbortController()
  const ports = sweepPorts({ pg, objects, ends, signal, nowMs: () => atMs })
  return sweepAttachments(ports)
}

/** A day is noted in one run and swept in the next one. */
async function sweepAll(objects: MemoryObjectStore, atMs: number): Promise<number> {
  let removed = 0
  for (let run = 0; run < 20; run += 1) removed += await sweep(objects, atMs)
  return removed
}

test('objects without a row go when their day is over, and those with one stay', async () => {
  await pg.query('delete from ingest_boots')
  const objects = new MemoryObjectStore()
  const partition = await TestPartition.takeNew(pg)
  const storedOn = dayOf(nowMs)
  const place = { projectId: project, storedOn }
  await partition.commit({
    attachments: [
      rowOf('one', 'shared', { storedOn }),
      rowOf('two', 'shared', { storedOn }),
      rowOf('one', 'own', { storedOn }),
    ],
  })
  const keyOf = (name: string) => attachmentKey({ ...place, sha256: sha(name) })
  for (const name of ['shared', 'own', 'orphan']) {
    await objects.put(keyOf(name), Buffer.from(name))
  }
  await objects.put(`attachments/${storedOn}/not-ours`, Buffer.from('x'))
  const left = () => [...objects.files.keys()].sort()
  const all = left()

  // Today and tomorrow: the orphan may be an upload whose record is on its way.
  await sweepAll(objects, nowMs)
  await sweepAll(objects, nowMs + dayMs)
  expect(left()).toEqual(all)
  expect(await sweepAll(objects, nowMs + 2 * dayMs)).toBe(1)
  expect(left()).toEqual(all.filter((key) => key !== keyOf('orphan')))

  // One of two rows goes, then the other.
  const eventIds = [dashed(hashOf('one'))]
  await pg.query('delete from event_attachments where project_id = $1 and event_id = any($2)', [
    project,
    eventIds,
  ])
  await sweepAll(objects, nowMs + 2 * dayMs)
  expect(objects.files.has(keyOf('own'))).toBe(false)
  expect(objects.files.has(keyOf('shared'))).toBe(true)
  await pg.query('delete from event_attachments where project_id = $1', [project])
  await sweepAll(objects, nowMs + 2 * dayMs)
  expect(left()).toEqual([`attachments/${storedOn}/not-ours`])
})

test('nothing is swept while a log may hold records of the day', async () => {
  const objects = new MemoryObjectStore()
  const late = nowMs + 20 * dayMs
  const key = attachmentKey({ projectId: project, storedOn: dayOf(late), sha256: sha('late') })
  await objects.put(key, Buffer.from('late'))
  await pg.query(
    `insert into ingest_boots (boot_id, first_partition, started_at) values ($1, 0, now() - interval '1 day')`,
    [randomUUID()],
  )
  await sweepAll(objects, late + 2 * dayMs)
  expect(objects.files.has(key)).toBe(true)
  await pg.query(
    `update ingest_boots set log_reported_at = now() + interval '1 day', log_oldest_at = null`,
  )
  await sweepAll(objects, late + 2 * dayMs)
  expect(objects.files.has(key)).toBe(false)
})

test('the objects of a deleted project go at once', async () => {
  const objects = new MemoryObjectStore()
  const other = await addProject(pg)
  const place = { projectId: other, storedOn: dayOf(nowMs + 60 * dayMs), sha256: sha('a') }
  await objects.put(attachmentKey(place), Buffer.from('a'))
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({
    attachments: [rowOf('e', 'a', { projectId: other, storedOn: place.storedOn })],
  })
  await pg.query('delete from event_attachments where project_id = $1', [other])
  await sweep(objects, nowMs)
  expect(objects.files.size).toBe(1)
  const deletion = randomUUID()
  await pg.query(
    `insert into deletions (id, kind, organization_id, state, requested_via, waits_until)
     select $1, 'project', organization_id, 'removing', 'token', now() from projects where dsn_id = $2`,
    [deletion, other],
  )
  await pg.query(
    `insert into deleted_projects (dsn_id, project_id, deletion_id)
     select dsn_id, id, $2 from projects where dsn_id = $1`,
    [other, deletion],
  )
  await sweep(objects, nowMs)
  expect(objects.files.size).toBe(0)
})
