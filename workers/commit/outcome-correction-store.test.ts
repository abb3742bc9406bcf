/**
 * Outcomes of check-ins that a commit refuses, from the digest's rows to the corrected sums, with a
 * crash at each step, on a real Postgres and ClickHouse.
 */
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { rangeToken } from '#platform/clickhouse-token.ts'
import type { Pool } from '#platform/postgres.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { planOf, TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { digestRange } from '../digest/digest-range.ts'
import { monitorsPerProjectMax } from '../monitors/monitor-store.ts'
import { ClickHouseRowStore } from '../rows/row-store.ts'
import {
  assignBatch,
  type CorrectionRow,
  correctionInserter,
  type InsertCorrections,
  sendCorrections,
} from './outcome-correction-store.ts'

let pg: Pool
let project: ProjectId
let clickhouse: ClickHouseClient
let rows: ClickHouseRowStore
let insert: InsertCorrections
usePostgres((fixture) => {
  ;({ pg, project } = fixture)
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
  rows ??= new ClickHouseRowStore(clickhouse)
  insert ??= correctionInserter(clickhouse)
})

beforeEach(() => pg.query('delete from outcome_corrections'))

afterAll(async () => {
  await clickhouse?.close()
})

const start = Date.UTC(2026, 10, 30, 23, 58)
const minuteMs = 60_000

interface TestCheckIn {
  readonly slug: string
  readonly environment?: string
  readonly id?: string | undefined
  readonly status?: 'in_progress' | 'ok' | 'error'
  readonly minute?: number
  readonly config?: object
}

let recordNo = 0
let frameNo = 0

/** Digests frames with these check-ins. */
function digest(projectId: ProjectId, checkIns: readonly TestCheckIn[]) {
  const frames = []
  for (let at = 0; at < checkIns.length; at += recordsPerFrame) {
    frameNo += 1
    const bytes = frameOf(projectId, checkIns.slice(at, at + recordsPerFrame))
    frames.push({ streamSeq: frameNo, bytes })
  }
  return digestRange({ partition: 0, generation: 1, retentionDays: 90, frames })
}

const recordsPerFrame = 500

function frameOf(projectId: ProjectId, checkIns: readonly TestCheckIn[]): Buffer {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(512 * KiB) })
  for (const { slug, environment, id, status = 'ok', minute = 0, config } of checkIns) {
    recordNo += 1
    const payload = {
      monitor_slug: slug,
      check_in_id: id && hashOf(id),
      monitor_config: config,
      environment,
      status,
    }
    writer.append({
      kind: 'check_in',
      projectId,
      dsnKeyNo: 7 as DsnKeyNo,
      receivedAtMs: start + minute * minuteMs,
      recordId: Buffer.from(hashOf(`correction ${recordNo}`), 'hex'),
      headerJson: JSON.stringify({ component: 'wörker "1"', sdk: 'sentry.python' }),
      payload: Buffer.from(JSON.stringify(payload)),
    })
  }
  return writer.finish({ instanceId: hashOf('boot'), partition: 0, counter: frameNo })
}

/** Quantities by `outcome:reason`, without those that add up to 0. */
async function outcomesOf(project: ProjectId): Promise<Record<string, number>> {
  const result = await clickhouse.query({
    query: `select concat(outcome, ':', reason) as fate, toInt32(sum(quantity)) as n from outcomes
      where project_id = {project: UInt64} and category = 'monitor' and dsn_key_no = 7 and component = 'wörker "1"' and sdk = 'sentry.python'
      group by fate having n != 0 order by fate`,
    query_params: { project },
    format: 'JSONEachRow',
  })
  const found = await result.json<{ fate: string; n: number }>()
  return Object.fromEntries(found.map(({ fate, n }) => [fate, n]))
}

async function waiting(): Promise<number> {
  const { rowCount } = await pg.query('select from outcome_corrections')
  return rowCount ?? 0
}

const outcomeOf: Record<string, string> = {
  rate_limited: 'rejected:check_in_rate',
  id_in_use: 'rejected:check_in_id_in_use',
  already_finished: 'rejected:check_in_already_finished',
}

class Crash extends Error {}
const crashes: Record<string, () => Promise<void>> = {
  'nothing was sent': async () => {},
  'a batch was assigned': () => assignBatch(pg),
  'the insert failed': () => interrupted(() => Promise.reject(new Crash())),
  'the insert was not answered': () =>
    interrupted(async (batch, token) => {
      await insert(batch, token)
      throw new Crash()
    }),
  'all was sent': () => sendCorrections(pg, insert),
  'two processes sent': async () => {
    await Promise.all([sendCorrections(pg, insert), sendCorrections(pg, insert)])
  },
  'a paused process repeated its insert': async () => {
    const sent: [readonly CorrectionRow[], string][] = []
    await sendCorrections(pg, async (batch, token) => {
      sent.push([batch, token])
      await insert(batch, token)
    })
    for (const [batch, token] of sent) await insert(batch, token)
  },
}

async function interrupted(send: InsertCorrections): Promise<void> {
  await sendCorrections(pg, send).catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error
  })
}

test('every check-in has one outcome, also after a crash of the worker at any step', async () => {
  const checkIn = fc.record({
    slug: fc.constantFrom('job', 'other'),
    environment: fc.constantFrom('production', 'staging'),
    id: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    status: fc.constantFrom('in_progress', 'ok', 'error'),
    minute: fc.constantFrom(0, 0, 0, 1, 2),
  })
  const range = fc.record({
    checkIns: fc.array(checkIn, { minLength: 1, maxLength: 25 }),
    isInsertRepeated: fc.boolean(),
    isUndone: fc.boolean(),
    crash: fc.constantFrom(...Object.keys(crashes)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 4 }), async (ranges) => {
      const fresh = await addProject(pg)
      const partition = await TestPartition.takeNew(pg)
      const want: Record<string, number> = {}
      const add = (fate: string, quantity: number) => {
        if (quantity > 0) want[fate] = (want[fate] ?? 0) + quantity
      }
      let generation = 1
      const inserted = (outcomeRows: Uint8Array) => {
        const at = { partition: partition.partition, epoch: 1, generation }
        const cursor = { ...at, committedSeq: frameNo, plannedSeq: frameNo + 1 }
        const token = rangeToken(cursor, 'outcomes')
        return { cursor, insert: { table: 'outcomes', rows: outcomeRows, token } as const }
      }
      for (const { checkIns, isInsertRepeated, isUndone, crash } of ranges) {
        const output = digest(fresh, checkIns)
        const { outcomeRows } = output
        if (isUndone) {
          const undone = inserted(outcomeRows)
          await rows.insert(undone.insert)
          await rows.undo({ cursor: undone.cursor, plan: planOf(frameNo + 1, { outcomeRows }) })
          generation += 1
        }
        await rows.insert(inserted(outcomeRows).insert)
        if (isInsertRepeated) await rows.insert(inserted(outcomeRows).insert)
        const { monitors } = await partition.commit({ checkIns: output.checkIns })
        const refusals = monitors?.refusals ?? []
        add('accepted:', checkIns.length - refusals.length)
        for (const reason of refusals) add(outcomeOf[reason] ?? reason, 1)
        await crashes[crash]?.()
      }
      await sendCorrections(pg, insert)
      expect(await waiting()).toBe(0)
      expect(await outcomesOf(fresh)).toEqual(want)
    }),
    { numRuns: 25 },
  )
})

/** Inserts the digest's rows, commits, and sends the corrections. */
async function store(checkIns: readonly TestCheckIn[]): Promise<Record<string, number>> {
  const output = digest(project, checkIns)
  await rows.insert({ table: 'outcomes', rows: output.outcomeRows, token: `test ${frameNo}` })
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({ checkIns: output.checkIns })
  await sendCorrections(pg, insert)
  expect(await waiting()).toBe(0)
  return outcomesOf(project)
}

const numbered = (count: number, of: (index: number) => TestCheckIn) =>
  Array.from({ length: count }, (_, index) => of(index))
const yearly = { schedule: { type: 'crontab', value: '0 0 1 1 *' }, max_runtime: 40_000 }
const nonsense = { schedule: { type: 'crontab', value: 'nonsense' } }

// biome-ignore format: the columns are the point
test.each([
  ['more than 6 a minute',            numbered(9, () => ({ slug: 'job' })),                                     { 'accepted:': 6, 'rejected:check_in_rate': 3 }],
  ['an id of another monitor',        [{ slug: 'job', id: 'a' }, { slug: 'other', id: 'a' }],                   { 'accepted:': 1, 'rejected:check_in_id_in_use': 1 }],
  ['a run that has ended',            [{ slug: 'job', id: 'a' }, { slug: 'job', id: 'a' }],                     { 'accepted:': 1, 'rejected:check_in_already_finished': 1 }],
  ['a monitor that changes nothing',  [{ slug: 'job', id: 'a' }, { slug: 'job', id: 'a', status: 'in_progress' }], { 'accepted:': 2 }],
  ['more than 50 environments',       numbered(53, (no) => ({ slug: 'job', environment: `e${no}` })),           { 'accepted:': 50, 'rejected:too_many_environments': 3 }],
  ['more than 200 runs at a time',    numbered(203, (no) => ({ slug: 'job', id: `r${no}`, status: 'in_progress', minute: Math.floor(no / 5), config: yearly })), { 'accepted:': 200, 'rejected:too_many_runs': 3 }],
  ['more than 1,000 monitors',        numbered(monitorsPerProjectMax + 4, (no) => ({ slug: `job-${no}` })),     { 'accepted:': 1_000, 'rejected:too_many_monitors': 4 }],
  ['a refused monitor_config',        numbered(8, () => ({ slug: 'job', config: nonsense })),                   { 'rejected:invalid_monitor_config': 8 }],
] as const satisfies [string, TestCheckIn[], Record<string, number>][])('the outcome has the reason of a refused check-in: %s', async (_why, checkIns, want) => {
  expect(await store(checkIns)).toEqual(want)
})

test('a commit that is rolled back corrects nothing', async () => {
  const partition = await TestPartition.takeNew(pg)
  const output = digest(
    project,
    numbered(9, () => ({ slug: 'job' })),
  )
  const wrong = { deadLetters: [{ streamSeq: -1, recordIndex: 2 ** 40 }] as never }
  await expect(partition.commit({ checkIns: output.checkIns, ...wrong })).rejects.toThrow()
  expect(await waiting()).toBe(0)
})

test('corrections of a deleted project are deleted with it', async () => {
  const partition = await TestPartition.takeNew(pg)
  await partition.commit({
    checkIns: digest(
      project,
      numbered(9, () => ({ slug: 'job' })),
    ).checkIns,
  })
  expect(await waiting()).toBe(2)
  await pg.query('delete from projects where dsn_id = $1', [project])
  expect(await waiting()).toBe(0)
})

test('a check-in of a monitor that is deleted meanwhile has an outcome with that reason', async () => {
  await pg.query(
    `create function swallow() returns trigger language plpgsql as 'begin return null; end'`,
  )
  await pg.query(
    'create trigger swallow before insert on monitors for each row execute function swallow()',
  )
  try {
    expect(await store([{ slug: 'job' }])).toEqual({ 'rejected:monitor_deleted': 1 })
  } finally {
    await pg.query('drop function swallow() cascade')
  }
})
