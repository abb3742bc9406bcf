/** Check-ins in commits and ticks on a real Postgres. */

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { firstLayout, partitionsOf } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { CheckInStatus } from '#schemas/wire/check-in.ts'
import type { MonitorConfig } from '#schemas/wire/monitor-config.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { hashOf, sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition, testStream } from '../../test/fixtures/workers/test-partition.ts'
import { type Plain, written } from '../../test/fixtures/workers/written.ts'
import { resolveIssues } from '../outbox/outbox-store.ts'
import { takeOverCursor } from '../partitions/cursor-store.ts'
import { FencedError } from '../partitions/ports.ts'
import { failureHash } from './failure-event.ts'
import type { CheckInRecord } from './fold-monitor.ts'
import { commitMonitors } from './monitor-commit.ts'
import { monitorPartitionHash } from './monitor-store.ts'
import { PostgresMonitorTicks } from './monitor-ticks.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

// Monitors of a former test would also be due.
beforeEach(() => pg.query('delete from monitors'))

const minuteMs = 60_000
const hour = Date.parse('2026-11-20T10:00:00Z')

const config: MonitorConfig = {
  schedule: { type: 'crontab', value: '*/10 * * * *' },
  timezone: 'Europe/Berlin',
  checkinMargin: 1,
  maxRuntime: 2,
  failureIssueThreshold: 1,
  recoveryThreshold: 1,
}

let recordNo = 0

function checkIn(
  minute: number,
  name: string,
  status: CheckInStatus,
  fields: Partial<Plain<CheckInRecord>> = {},
): CheckInRecord {
  recordNo += 1
  return written<CheckInRecord>({
    projectId: project,
    dsnKeyNo: 7,
    component: 'web',
    sdk: 'sentry.javascript.node',
    recordId: hashOf(`record ${recordNo}`),
    receivedAtMs: hour + minute * minuteMs,
    slug: 'nightly',
    checkInId: hashOf(name),
    status,
    environment: 'production',
    config,
    error: undefined,
    durationMs: undefined,
    release: 'app@1',
    trace: undefined,
    ...fields,
  })
}

async function runs(): Promise<string[]> {
  const { rows } = await pg.query<{ line: string }>(
    `select concat_ws(' ', environment, status, result, case when event_id is null then '' else 'event' end) as line
     from monitor_runs where project_id = $1 order by at, id`,
    [project],
  )
  return rows.map(({ line }) => line.trim())
}

async function outbox() {
  const { rows } = await pg.query<{ payload: string; received_at: Date; client: string }>(
    'select payload, received_at, client from outbox_events where project_id = $1 order by received_at',
    [project],
  )
  return rows.map(({ payload, received_at, client }) => ({
    event: JSON.parse(payload),
    receivedAtMs: received_at.getTime(),
    client,
  }))
}

const oneLayout = firstLayout({ partitions: 1, streams: 1 })

/** Commits a range of the only partition of a layout, which therefore has all monitors. */
function commit(fields: { checkIns?: readonly CheckInRecord[]; minutes?: readonly number[] }) {
  const { checkIns = [], minutes = [] } = fields
  const range = { partition: 0, layout: oneLayout, checkIns, minutes }
  return inTransaction(pg, (client) => commitMonitors(client, range, new Set([project])))
}

const takeOver = async () => (await takeOverCursor(pg, 0, testStream)).cursor
const ticks = () => new PostgresMonitorTicks(pg, oneLayout)

describe('a commit', () => {
  test('creates monitors, opens runs and closes them', async () => {
    await commit({
      checkIns: [checkIn(0, 'a', 'in_progress'), checkIn(0, 'x', 'ok', { environment: 'staging' })],
    })
    expect((await runs()).toSorted()).toEqual(['production running', 'staging closed ok'])
    await commit({ checkIns: [checkIn(1, 'a', 'ok')] })
    expect((await runs()).toSorted()).toEqual(['production closed ok', 'staging closed ok'])
    const { rows } = await pg.query('select * from monitors where project_id = $1', [project])
    expect(rows).toMatchObject([
      { slug: 'nightly', schedule: config.schedule, timezone: 'Europe/Berlin', max_runtime: 2 },
    ])
  })

  test('applies the minutes of its records and creates events of the failures', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'in_progress')] })
    await commit({ minutes: [hour + minuteMs, hour + 2 * minuteMs, hour + 11 * minuteMs] })
    expect(await runs()).toEqual(['production overrunning event', 'production missed event'])
    const events = await outbox()
    expect(events.map(({ receivedAtMs }) => (receivedAtMs - hour) / minuteMs)).toEqual([2, 11])
    expect(events[1]).toMatchObject({
      client: 'sluice.monitors',
      event: { message: 'Monitor failure: nightly', level: 'error', environment: 'production' },
    })
  })

  test('ignores minutes in the future, even if the clock of ingest is wrong', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'in_progress')] })
    await commit({ minutes: [Date.parse('2200-01-01T00:00:00Z')] })
    expect(await runs()).toEqual(['production running'])
  })

  test('of a range with an hour of check-ins misses no run', async () => {
    const checkIns = [0, 10, 20, 30, 40, 50].map((minute) => checkIn(minute, `r${minute}`, 'ok'))
    const minutes = Array.from({ length: 60 }, (_, index) => hour + index * minuteMs)
    await commit({ checkIns, minutes })
    expect(await runs()).toEqual(checkIns.map(() => 'production closed ok'))
    expect(await outbox()).toEqual([])
  })

  test('misses no run while older frames of a live ingest instance are still missing', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'ok')] })
    const instance = randomUUID()
    await pg.query(
      `insert into frame_progress (partition, boot_id, contiguous, ahead) values (0, $1, 4, '{7,9}')`,
      [instance],
    )
    const seen = (at: string) =>
      pg.query(
        `insert into ingest_boots (boot_id, seen_at) values ($1, now() - $2::interval)
         on conflict (boot_id) do update set seen_at = excluded.seen_at`,
        [instance, at],
      )
    await seen('1 second')
    await commit({ checkIns: [checkIn(31, 'd', 'ok')], minutes: [hour + 30 * minuteMs] })
    expect(await runs()).toEqual(['production closed ok', 'production closed ok'])
    await commit({ minutes: [hour + 60 * minuteMs] })
    expect(await runs()).toHaveLength(2)
    await seen('6 minutes')
    await commit({ minutes: [hour + 61 * minuteMs] })
    expect((await runs()).at(-1)).toBe('production missed event')
  })

  test('misses no run while check-ins wait in the partitions of the next layout', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'ok')] })
    await pg.query(
      `update installation set next_first_partition = 4, next_partitions = 8, next_streams = 1`,
    )
    try {
      await commit({ checkIns: [checkIn(1, 'b', 'ok')], minutes: [hour + 30 * minuteMs] })
      await commit({ minutes: [hour + 60 * minuteMs] })
      expect(await runs()).toEqual(['production closed ok', 'production closed ok'])
    } finally {
      await pg.query(
        'update installation set next_first_partition = null, next_partitions = null, next_streams = null',
      )
    }
    await commit({ minutes: [hour + 61 * minuteMs] })
    expect((await runs()).at(-1)).toBe('production missed event')
  })

  test('does not change the run of another monitor', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'in_progress')] })
    const result = await commit({ checkIns: [checkIn(1, 'a', 'ok', { slug: 'other' })] })
    expect(result?.refusals).toEqual(['id_in_use'])
    expect(await runs()).toEqual(['production running'])
    const { rows } = await pg.query(
      'select slug, problem from monitors where project_id = $1 and problem is not null',
      [project],
    )
    expect(rows).toMatchObject([{ slug: 'other', problem: { reason: 'id_in_use' } }])
  })

  test('assigns an id that two monitors use at once to one of them', async () => {
    const result = await commit({
      checkIns: [checkIn(0, 'a', 'ok'), checkIn(0, 'a', 'error', { slug: 'other' })],
    })
    expect(result).toEqual({ failures: 0, refusals: ['id_in_use'] })
    expect(await runs()).toEqual(['production closed ok'])
  })

  test('accepts an id that a run of another project has', async () => {
    const other = await addProject(pg)
    await commit({ checkIns: [checkIn(0, 'a', 'in_progress')] })
    const own = checkIn(1, 'a', 'ok', { projectId: other })
    const range = { partition: 0, layout: oneLayout, checkIns: [own], minutes: [] }
    const result = await inTransaction(pg, (client) =>
      commitMonitors(client, range, new Set([other])),
    )
    expect(result?.refusals).toEqual([])
    expect(await runs()).toEqual(['production running'])
  })

  test('stores texts of any script', async () => {
    const odd = { environment: 'Łódź 🏙 "\\', release: 'ü@1 👩‍🚀', slug: 'übung-😀' }
    await commit({ checkIns: [checkIn(0, 'a', 'error', odd)] })
    expect(await runs()).toEqual([`${odd.environment} closed error event`])
    expect((await outbox())[0]?.event).toMatchObject({ release: odd.release })
  })

  test('drops check-ins of a deleted project', async () => {
    const gone = checkIn(0, 'a', 'ok', { projectId: 2 ** 40 })
    expect(await commit({ checkIns: [gone] })).toBeUndefined()
  })

  test('creates at most a thousand monitors of a project and refuses check-ins of more', async () => {
    const checkIns = Array.from({ length: 1_005 }, (_, index) =>
      checkIn(0, `run ${index}`, 'ok', { slug: `job-${String(index).padStart(4, '0')}` }),
    )
    await commit({ checkIns })
    expect(await runs()).toHaveLength(1_000)
    await commit({ checkIns: [checkIn(1, 'more', 'ok', { slug: 'job-0001' })] })
    expect(await runs()).toHaveLength(1_001)
  })

  test('waits for another commit with the same monitors', async () => {
    const slugs = Array.from({ length: 20 }, (_, index) => `job-${index}`)
    const range = (name: string, order: readonly string[]) =>
      order.map((slug) => checkIn(0, `${name} ${slug}`, 'ok', { slug }))
    await Promise.all([
      commit({ checkIns: range('one', slugs) }),
      commit({ checkIns: range('two', slugs.toReversed()) }),
    ])
    expect(await runs()).toHaveLength(40)
  })
})

describe('a tick', () => {
  test('marks a due run as missed, and is due again at the next run', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'ok')] })
    const cursor = await takeOver()
    expect(await ticks().isDue(0, hour + 10 * minuteMs)).toBe(false)
    expect(await ticks().isDue(0, hour + 11 * minuteMs)).toBe(true)
    await ticks().tick(cursor, hour + 11 * minuteMs)
    await ticks().tick(cursor, hour + 11 * minuteMs)
    expect(await runs()).toEqual(['production closed ok', 'production missed event'])
    expect(await ticks().isDue(0, hour + 20 * minuteMs)).toBe(false)
    expect(await ticks().isDue(0, hour + 21 * minuteMs)).toBe(true)
  })

  test('is for the monitors of its partition', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'ok')] })
    const own = monitorPartitionHash({ projectId: project, slug: 'nightly' }) % 7
    for (const first of [0, 9]) {
      const layout = { first, partitions: 7, streams: 1 }
      const of = new PostgresMonitorTicks(pg, layout)
      const due = partitionsOf(layout).map((each) => of.isDue(each, hour + 11 * minuteMs))
      expect((await Promise.all(due)).indexOf(true)).toBe(own)
    }
  })

  test('follows a change of the rules in all environments', async () => {
    const staging = { environment: 'staging' }
    await commit({ checkIns: [checkIn(0, 'a', 'ok'), checkIn(0, 'b', 'ok', staging)] })
    const patient = { ...config, checkinMargin: 5 }
    await commit({ checkIns: [checkIn(1, 'c', 'ok', { ...staging, config: patient })] })
    const cursor = await takeOver()
    await ticks().tick(cursor, hour + 2 * minuteMs)
    expect(await ticks().isDue(0, hour + 14 * minuteMs)).toBe(false)
    await ticks().tick(cursor, hour + 15 * minuteMs)
    expect((await runs()).filter((run) => run.includes('missed'))).toHaveLength(2)
  })

  test('of a replaced owner changes nothing', async () => {
    await commit({ checkIns: [checkIn(0, 'a', 'ok')] })
    const former = await takeOver()
    await takeOver()
    const tick = ticks().tick(former, hour + 11 * minuteMs)
    await expect(tick).rejects.toBeInstanceOf(FencedError)
    expect(await runs()).toEqual(['production closed ok'])
  })
})

describe('a recovery', () => {
  const hash = () => failureHash('nightly', 'production', 'error')
  const lastEventMs = hour + minuteMs

  /** The issue of the incident's events. */
  const sum = (lastSeenMs: number) =>
    sumOf(project, ['monitor'], {
      hashes: [{ variant: 'app', hash: hash() }],
      lastSeenMs,
      lastReceivedMs: lastSeenMs,
    })

  const statusOf = async () => {
    const { rows } = await pg.query<{ status: string }>(
      'select status from issues where project_id = $1',
      [project],
    )
    return rows.map(({ status }) => status)
  }

  test('resolves the issue when the last event of the incident is counted, and not before', async () => {
    const partition = await TestPartition.takeNew(pg)
    await commit({ checkIns: [checkIn(0, 'a', 'error'), checkIn(1, 'b', 'error')] })
    await commit({ checkIns: [checkIn(2, 'c', 'ok')] })
    await resolveIssues(pg)
    await partition.commit({ issues: [sum(hour)] })
    await resolveIssues(pg)
    expect(await statusOf()).toEqual(['unresolved'])
    await partition.commit({ issues: [sum(lastEventMs)] })
    expect(await resolveIssues(pg)).toBe(1)
    expect(await statusOf()).toEqual(['resolved'])
    expect(await resolveIssues(pg)).toBe(0)
    const { rows } = await pg.query(
      `select kind, actor, data from issue_activity
       where issue_id in (select id from issues where project_id = $1)`,
      [project],
    )
    expect(rows).toEqual([
      {
        kind: 'status',
        actor: { type: 'system' },
        data: {
          from: 'unresolved',
          to: 'resolved',
          resolved_in: 'now',
          monitor: 'nightly',
          environment: 'production',
        },
      },
    ])
    const queue = await pg.query(
      'select triage_at, resolved_in from issues where project_id = $1',
      [project],
    )
    expect(queue.rows).toEqual([{ triage_at: null, resolved_in: 'now' }])
  })

  test('does not resolve the issue of a monitor that failed again', async () => {
    const partition = await TestPartition.takeNew(pg)
    await commit({ checkIns: [checkIn(1, 'a', 'error'), checkIn(2, 'b', 'ok')] })
    await partition.commit({ issues: [sum(hour + 3 * minuteMs)] })
    await resolveIssues(pg)
    expect(await statusOf()).toEqual(['unresolved'])
  })
})
