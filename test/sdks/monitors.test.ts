/**
 * Monitors of recurring jobs, with the clients that send check-ins. The tests do not wait for late
 * runs: they move the stored times into the past, and the workers continue with the current time.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { projectRoot } from '#platform/project-root.ts'
import { frameId } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import { monitorPartitionKey } from '#schemas/bus/monitor-partition-key.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import type { MonitorItem, MonitorRunItem } from '#schemas/rest/monitor.ts'
import { runClient } from '../fixtures/processes/run-client.ts'
import { type ProgramEnd, runProgram } from '../fixtures/processes/run-program.ts'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = productOfThisFile()
const sdks = ['@sentry/node', '@sentry/node-10'] as const
const crontab = { type: 'crontab', value: '*/10 * * * *' }

async function monitorOf(project: TestProject, slug = 'nightly'): Promise<MonitorItem> {
  const { body } = await project.api<MonitorItem>(`/monitors/${slug}`)
  return body
}

async function runsOf(project: TestProject, slug = 'nightly'): Promise<MonitorRunItem[]> {
  const { body } = await project.api<{ items?: MonitorRunItem[] }>(`/monitors/${slug}/runs`)
  return body.items ?? []
}

/**
 * Waits until the monitor's runs are `want`, newest first. Reads the store, because the API is
 * rate-limited.
 */
async function hasRuns(project: TestProject, want: readonly string[]): Promise<void> {
  const seen = async () => {
    const { rows } = await product().postgres.query<{ line: string }>(
      `select concat_ws(' ', status, result) as line from monitor_runs where project_id = $1
       order by at desc, id desc`,
      [project.dsnId],
    )
    return rows.map(({ line }) => line)
  }
  const wanted = want.join()
  const isSeen = async () => (await seen()).join() === wanted
  await waitUntil(`runs ${wanted}`, isSeen).catch(() => undefined)
  expect(await seen()).toEqual(want)
}

/** Moves all stored times of the project's monitors into the past. */
async function passTime(project: TestProject, interval: string): Promise<void> {
  await product().postgres.query(
    `with monitor as (select id from monitors where project_id = $1), runs as (
       update monitor_runs set at = at - $2::interval, started_at = started_at - $2::interval,
         expected_at = expected_at - $2::interval, timeout_at = timeout_at - $2::interval
       where project_id = $1
     )
     update monitor_environments set due_at = due_at - $2::interval, expected_at = expected_at - $2::interval,
       last_check_in_at = last_check_in_at - $2::interval, last_ok_at = last_ok_at - $2::interval,
       incident_opened_at = incident_opened_at - $2::interval
     where monitor_id in (select id from monitor)`,
    [project.dsnId, interval],
  )
}

function checkIn(project: TestProject, end: string, body?: object): Promise<{ status: number }> {
  const path = `/api/${project.dsnId}/cron/${end}`
  if (body === undefined) return project.send({ path, method: 'GET' })
  const headers = { 'Content-Type': 'application/json' }
  return project.send({ path, body: JSON.stringify(body), headers })
}

/** Uses a home folder of its own, so that no configuration of this machine applies. */
async function cli(dsn: string, ...args: string[]): Promise<ProgramEnd> {
  const home = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  try {
    return await runProgram(join(projectRoot, 'node_modules/.bin/sentry-cli'), args, {
      HOME: home,
      SENTRY_DSN: dsn,
      SENTRY_DISABLE_UPDATE_CHECK: 'true',
    })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

describe.each(sdks)('%s', (sdk) => {
  test.concurrent('a successful job is a closed run and creates its monitor', async () => {
    const project = await product().projectAtOnce('works')
    expect(await runClient('monitors-sdk.mjs', sdk, 'works', project.dsn)).toMatchObject({
      flushed: true,
    })
    await hasRuns(project, ['closed ok'])
    expect(await monitorOf(project)).toMatchObject({
      slug: 'nightly',
      schedule: crontab,
      timezone: 'Europe/Berlin',
      checkin_margin: 1,
      max_runtime: 1,
      status: 'ok',
      environments: [{ environment: 'staging' }],
      last_run: { release: 'jobs@1.0.0', status: 'closed' },
    })
    // The program itself sends a session.
    await project.hasAccounting({ 'accepted monitor': 2, 'accepted session': 1 })
  })

  test.concurrent('a job that throws is a failed run and sends an event', async () => {
    const project = await product().projectAtOnce('throws')
    await runClient('monitors-sdk.mjs', sdk, 'throws', project.dsn)
    await hasRuns(project, ['closed error'])
    await waitUntil('an issue', async () => {
      await pause(200)
      return (await project.issues()).some(({ title }) => title === 'Monitor failure: nightly')
    })
    expect(await monitorOf(project)).toMatchObject({ status: 'failing' })
  })

  test.concurrent('check-ins sent by hand keep their id and duration', async () => {
    const project = await product().projectAtOnce('pair')
    const { eventIds } = await runClient('monitors-sdk.mjs', sdk, 'pair', project.dsn)
    await hasRuns(project, ['closed ok'])
    expect((await runsOf(project))[0]).toMatchObject({ id: eventIds[0], duration_ms: 12_500 })
  })

  test.concurrent('a schedule can be an interval', async () => {
    const project = await product().projectAtOnce('every')
    await runClient('monitors-sdk.mjs', sdk, 'every', project.dsn)
    await hasRuns(project, ['closed ok'])
    const schedule = { type: 'interval', value: 2, unit: 'hour' }
    expect(await monitorOf(project)).toMatchObject({ schedule, timezone: 'UTC' })
  })
})

describe('sentry-cli monitors run', () => {
  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['a job that succeeds      ', 'process.exit(0)', 0, 'closed ok',    'ok'],
    ['a job that fails         ', 'process.exit(3)', 3, 'closed error', 'failing'],
  ] as const)('%s', async (_name, script, code, run, status) => {
    const project = await product().projectAtOnce('cli')
    const schedule = ['--schedule', '*/10 * * * *', '--check-in-margin', '5', '--max-runtime', '7', '--timezone', 'Asia/Calcutta']
    const end = await cli(project.dsn, 'monitors', 'run', ...schedule, 'Nightly Job', '--', process.execPath, '--eval', script)
    expect(end.code).toBe(code)
    await hasRuns(project, [run])
    expect(await monitorOf(project, 'nightly-job')).toMatchObject({
      schedule: crontab, timezone: 'Asia/Calcutta', checkin_margin: 5, max_runtime: 7, status,
    })
  })
})

describe('a job without an SDK', () => {
  test.concurrent('opens and closes a run by URL', async () => {
    const project = await product().projectAtOnce('curl')
    const end = `nightly/${project.publicKey}/`
    expect((await checkIn(project, `${end}?status=in_progress`)).status).toBe(202)
    await hasRuns(project, ['running'])
    expect((await checkIn(project, `${end}?status=ok`)).status).toBe(202)
    await hasRuns(project, ['closed ok'])
    expect(await monitorOf(project)).toMatchObject({ schedule: null, next_expected_at: null })
  })

  test.concurrent('cannot reuse the check-in id of another job, and the outcome says so', async () => {
    const project = await product().projectAtOnce('ids')
    const query = `${project.publicKey}/?status=ok&check_in_id=${randomBytes(16).toString('hex')}`
    await checkIn(project, `nightly/${query}`)
    await hasRuns(project, ['closed ok'])
    await checkIn(project, `hourly/${query}`)
    const want = { 'accepted monitor': 1, 'rejected check_in_id_in_use monitor': 1 }
    const isCorrected = async () =>
      'rejected check_in_id_in_use monitor' in (await project.accounting())
    await waitUntil('the corrected outcome', isCorrected).catch(() => undefined)
    expect(await project.accounting()).toEqual(want)
  })

  test.concurrent('sends its schedule in the body, and an invalid one is rejected with a reason that the owner sees', async () => {
    const project = await product().projectAtOnce('config')
    const end = `nightly/${project.publicKey}/`
    await checkIn(project, end, { status: 'ok', monitor_config: { schedule: crontab } })
    await hasRuns(project, ['closed ok'])
    const wrong = { schedule: { type: 'crontab', value: '0 0 0 * * *' } }
    await checkIn(project, end, { status: 'ok', monitor_config: wrong })
    await hasRuns(project, ['closed ok', 'closed ok'])
    await project.hasAccounting({
      'accepted monitor': 1,
      'rejected invalid_monitor_config monitor': 1,
    })
    expect(await monitorOf(project)).toMatchObject({
      schedule: crontab,
      last_problem: {
        reason: 'invalid_config',
        detail: 'schedule.value must have five fields or be a nickname, and has 6',
      },
    })
  })
})

describe('time that passes', () => {
  test.concurrent('a missed run sends an error event, and the next run resolves its issue', async () => {
    const project = await product().projectAtOnce('missed')
    await runClient('monitors-sdk.mjs', '@sentry/node', 'works', project.dsn)
    await hasRuns(project, ['closed ok'])
    await passTime(project, '1 hour')
    await hasRuns(project, ['missed', 'closed ok'])
    await project.hasEvents(1)
    const event = await project.onlyEvent()
    const [missed] = await runsOf(project)
    expect(event).toMatchObject({
      id: missed?.event_id,
      title: 'Monitor failure: nightly',
      level: 'error',
      environment: 'staging',
      tags: { 'monitor.slug': 'nightly', 'monitor.failure': 'missed' },
    })
    expect(await project.issue()).toMatchObject({
      status: 'unresolved',
      culprit: 'A run was missed',
    })
    expect(await monitorOf(project)).toMatchObject({ status: 'failing' })
    await project.hasAccounting({
      'accepted monitor': 2,
      'accepted session': 1,
      'accepted error': 1,
    })

    await runClient('monitors-sdk.mjs', '@sentry/node', 'works', project.dsn)
    await waitUntil('a resolved issue', async () => {
      await pause(200)
      return (await project.issue()).status === 'resolved'
    })
    expect(await monitorOf(project)).toMatchObject({ status: 'ok' })
  })

  test.concurrent('a run over its time limit sends an error event, and its late end changes nothing', async () => {
    const project = await product().projectAtOnce('overrunning')
    const { eventIds } = await runClient('monitors-sdk.mjs', '@sentry/node', 'begins', project.dsn)
    await hasRuns(project, ['running'])
    // Makes the open run due for its check, and moves the next run a day ahead so that it is not
    // late as well.
    await product().postgres.query(
      `update monitor_environments set expected_at = expected_at + interval '1 day', due_at = due_at - interval '2 minutes'
       where monitor_id in (select id from monitors where project_id = $1)`,
      [project.dsnId],
    )
    await product().postgres.query(
      `update monitor_runs set timeout_at = timeout_at - interval '2 minutes' where project_id = $1`,
      [project.dsnId],
    )
    await hasRuns(project, ['overrunning'])
    await project.hasEvents(1)
    expect(await project.onlyEvent()).toMatchObject({ tags: { 'monitor.failure': 'overrunning' } })
    const ids = `check_in_id=${eventIds[0]}&environment=staging`
    await checkIn(project, `nightly/${project.publicKey}/?status=ok&${ids}`)
    await waitUntil('a duration', async () => {
      await pause(200)
      return (await runsOf(project))[0]?.duration_ms !== null
    })
    await hasRuns(project, ['overrunning'])
  })
})

test('workers that were down for an hour process all check-ins that wait on the bus', async () => {
  const project = await product().projectAtOnce('backlog')
  const end = `nightly/${project.publicKey}/`
  const schedule = { type: 'interval', value: 10, unit: 'minute' }
  await checkIn(project, end, { status: 'ok', monitor_config: { schedule } })
  await hasRuns(project, ['closed ok'])
  const { workers } = product().stack.services
  await workers.kill('SIGKILL')
  await passTime(project, '1 hour')

  // The frames that ingest would have published: an on-time check-in every five minutes.
  const nats = await connectNats(product().stack.demo.natsUrl, 'test')
  try {
    const manager = await jetstreamManager(nats)
    const { config } = await manager.streams.info('INGEST')
    const key = monitorPartitionKey('nightly')
    const partition = partitionOf(
      Number(project.dsnId) as ProjectId,
      key,
      0,
      config.subjects.length,
    )
    const writer = new FrameWriter(partition, { take: () => Buffer.alloc(16 * KiB) })
    const nowMs = systemClock.nowMs()
    for (let minutesAgo = 58; minutesAgo > 0; minutesAgo -= 5) {
      writer.append({
        kind: 'check_in',
        projectId: Number(project.dsnId) as ProjectId,
        dsnKeyNo: 0 as DsnKeyNo,
        receivedAtMs: nowMs - minutesAgo * 60_000,
        recordId: createHash('sha256')
          .update(`${project.dsnId} ${minutesAgo}`)
          .digest()
          .subarray(0, 16),
        headerJson: '',
        payload: Buffer.from('{"monitor_slug":"nightly","status":"ok"}'),
      })
    }
    const number = { instanceId: randomBytes(16).toString('hex'), partition, counter: 0 }
    await jetstream(nats).publish(ingestSubject(partition), writer.finish(number), {
      msgID: frameId(number),
    })
  } finally {
    await nats.close()
  }

  await workers.start()
  await hasRuns(
    project,
    Array.from({ length: 13 }, () => 'closed ok'),
  )
  expect(await project.countedEvents()).toBe(0)
})
