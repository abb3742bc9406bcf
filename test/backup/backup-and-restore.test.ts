/**
 * Backups of the running product: under load, killed at every step, restored beside the stream of
 * the same installation and on another machine.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { projectRoot } from '#platform/project-root.ts'
import type { Manifest } from '#schemas/backup/manifest.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'
import { nameTarget } from '../../api/backup/target.ts'
import { checkAccounting } from '../../bench/load/check-accounting.ts'
import { idsAreExact } from '../../bench/load/check-ids.ts'
import { workloadIssueCount } from '../../bench/load/workload.ts'
import { openStoredEvents } from '../../bench/stored-events.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { loadUnderFaults } from '../faults/load-and-check.ts'
import {
  downloadFile,
  type FileOfEvent,
  sendEventWithFile,
  storedFilesOf,
} from './file-of-event.ts'

const env = { SLUICE_SECRET: 'a secret of both machines, of enough characters' }
const plan = { kind: '1k', requests: 2_000, connections: 8, ratePerSecond: 1_000 } as const
const services = ['ingest', 'workers', 'mailer', 'api'] as const

let place: string
let first: Stack
let second: Stack
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'sluice-backups-'))
  first = await startStack({ env, survivesPowerFailure: false })
})
afterAll(async () => {
  await first?.stop()
  await second?.stop()
  await rm(place, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

function admin(stack: Stack, words: readonly string[], failpoints?: string): Promise<Ended> {
  const { postgres, clickhouse, nats } = stack.urls
  const variables = {
    ...{ POSTGRES_URL: postgres, CLICKHOUSE_URL: clickhouse, NATS_URL: nats },
    // The files of events lie there.
    SLUICE_DATA_DIR: stack.dataDir,
  }
  const options = {
    env: { ...inheritedEnv(), ...variables, SLUICE_FAILPOINTS: failpoints ?? '' },
    timeout: 120_000,
  }
  const args = [join(projectRoot, 'dist/api/cli/main.js'), ...words, '--json']
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const failed = error as (Error & { code?: number | null; signal?: string }) | null
      resolve({
        code: failed === null ? 0 : (failed.signal ?? failed.code ?? null),
        stdout,
        stderr,
      })
    })
  })
}

async function succeed(stack: Stack, ...words: readonly string[]) {
  const { code, stdout, stderr } = await admin(stack, words)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const targetOf = ({ urls }: Stack) =>
  nameTarget({ postgresUrl: urls.postgres, clickhouseUrl: urls.clickhouse })

const create = (stack: Stack) => succeed(stack, 'backup', 'create', '--to', place)

async function manifestOf(id: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(place, 'manifests', `${id}.json`), 'utf8')).manifest
}

async function accountingOf(stack: Stack, dsnId: string) {
  const stored = openStoredEvents(stack.urls)
  try {
    const books = await stored.accounting(Number(dsnId))
    return { books, faults: checkAccounting(books, workloadIssueCount).faults }
  } finally {
    await stored.close()
  }
}

let underLoad: { id: string; holdMs: number }
let withFile: FileOfEvent

test('an event with a file is stored, in a project of its own', async () => {
  withFile = await sendEventWithFile(first, 'what the client wrote')
})

test('a backup under load refuses no event and loses none', async () => {
  const { requests: _, ...untilItEnds } = plan
  const { load, ids, accounting } = await loadUnderFaults(first, {
    ...untilItEnds,
    ratePerSecond: 500,
    faults: async () => {
      await sleep(600)
      underLoad = await create(first)
      await sleep(600)
    },
  })
  expect(load.statuses).toEqual({ '200': load.requestsSent })
  expect(idsAreExact(ids), ids.examples.join(', ')).toBe(true)
  expect(accounting.faults).toEqual([])
  // It was taken in the middle.
  const { clickhouse } = await manifestOf(underLoad.id)
  const rows = clickhouse.tables.find(({ name }) => name === 'events')?.rows ?? 0
  expect(rows).toBeLessThan(load.events)
})

test('what was answered after the point is replayed exactly once from the stream', async () => {
  await first.services.workers.stop()
  const backup = await create(first)
  const { ids, accounting } = await loadUnderFaults(first, {
    ...plan,
    faults: async () => {
      await sleep(1_500)
      const restore = ['backup', 'restore', '--from', place, '--replace', targetOf(first)]
      const refused = await admin(first, restore)
      expect(refused.stderr).toContain('stop all services')
      for (const name of services) await first.services[name].stop()
      const restored = await succeed(first, ...restore)
      expect(restored.id).toBe(backup.id)
      expect(
        restored.replay.map(({ stream, missing }: Record<string, unknown>) => [
          stream,
          missing ?? null,
        ]),
      ).toEqual(Array.from({ length: 4 }, () => ['same', null]))
      for (const name of services) await first.services[name].start()
    },
  })
  expect(ids.stored).toBeGreaterThan(500)
  expect(idsAreExact(ids), ids.examples.join(', ')).toBe(true)
  expect(accounting.faults).toEqual([])
})

describe('on another machine', () => {
  beforeAll(async () => {
    await first.stop()
    second = await startStack({ env, services: [], survivesPowerFailure: false })
  })

  test('streams of another installation are refused', async () => {
    const words = ['backup', 'restore', '--from', place, '--replace', targetOf(second)]
    const { stderr } = await admin(second, words)
    expect(stderr).toMatch(/Stream \S+ of NATS_URL belongs to installation/)
    const nats = await connectNats(second.urls.nats, 'test')
    await (await jetstreamManager(nats)).streams.delete(ingestStream)
    await nats.close()
  })

  test.each([
    'restore.after_drop',
    'restore.after_clickhouse',
    'restore.before_commit',
    'restore.after_commit',
  ])('a restore that is killed at %s can be repeated', async (name) => {
    const words = ['backup', 'restore', '--from', place, '--id', underLoad.id]
    const replace = ['--replace', targetOf(second)]
    const killed = await admin(second, [...words, ...replace], `${name}=kill`)
    expect(killed.code).toBe('SIGKILL')
    const { id } = await succeed(second, ...words)
    expect(id).toBe(underLoad.id)
  })

  test('the books of the point are exact, and every table has the same rows', async () => {
    const { books, faults } = await accountingOf(second, first.demo.dsnId)
    // On a slow machine not every issue of the load exists at the point.
    expect(faults.filter((fault) => !fault.includes('the workload has'))).toEqual([])
    const before = await manifestOf(underLoad.id)
    const rowsOfAll = before.clickhouse.tables.find(({ name }) => name === 'events')?.rows ?? 0
    // One is of the project with a file.
    const events = rowsOfAll - 1
    expect(books.accepted).toBe(events)
    expect(await quotaUsed(second, first.demo.dsnId)).toBe(events)
    const after = await manifestOf((await create(second)).id)
    const rows = ({ postgres }: Manifest) => postgres.tables.map(({ name, rows }) => [name, rows])
    expect(rows(after)).toEqual(rows(before))
    // Rows that a restore changes: cursors, leases of processes that have ended, what follows, and
    // the locks of jobs that ran at the point.
    const adjusted = [
      ...['partition_cursors', 'quota_leases', 'quota_usage', 'ingest_boots'],
      ...['_private_jobs', '_private_job_queues'],
    ]
    const content = ({ postgres }: Manifest) =>
      postgres.tables
        .filter(({ name }) => !adjusted.includes(name))
        .map(({ name, objects }) => [name, objects.map(({ sha256 }) => sha256)])
    expect(content(after)).toEqual(content(before))
  })

  test.each([
    'backup.after_hold',
    'backup.after_snapshot',
    'backup.after_clone',
    'backup.after_point',
    'backup.before_manifest',
    'backup.after_manifest',
  ])('a backup that is killed at %s leaves nothing in the way', async (name) => {
    const before = await readdir(join(place, 'manifests'))
    const { code } = await admin(second, ['backup', 'create', '--to', place], `${name}=kill`)
    expect(code).toBe('SIGKILL')
    const after = await readdir(join(place, 'manifests'))
    expect(after.length - before.length).toBe(name === 'backup.after_manifest' ? 1 : 0)
    const { id } = await create(second)
    expect(await succeed(second, 'backup', 'verify', '--from', place, '--id', id)).toMatchObject({
      problems: [],
    })
    const left = await fetchText(
      second.urls.clickhouse,
      `select name from system.tables where database = 'sluice' and name like 'backup%'`,
    )
    expect(left).toBe('')
    expect(await readdir(join(place, 'locks'))).toEqual([])
  })

  test('the files of events are in its object store', async () => {
    expect(await storedFilesOf(second, withFile)).toEqual([
      { eventId: withFile.eventId, name: 'log.txt', content: 'what the client wrote' },
    ])
  })

  test('it takes events with the same DSN, and counts them on', async () => {
    for (const name of services) await second.services[name].start()
    const dsn = new URL(first.demo.dsn)
    dsn.host = new URL(second.urls.ingest).host
    const { dsnId } = first.demo
    const asFirst = { ...second, demo: { ...second.demo, dsn: dsn.href, dsnId } }
    const { load, ids, accounting } = await loadUnderFaults(asFirst, {
      ...plan,
      faults: async () => {},
    })
    expect(load.statuses).toEqual({ '200': plan.requests })
    expect(idsAreExact(ids), ids.examples.join(', ')).toBe(true)
    expect(accounting.faults).toEqual([])
    expect(await downloadFile(second, withFile)).toBe('what the client wrote')
  })
})

async function quotaUsed(stack: Stack, dsnId: string): Promise<number> {
  const client = new pg.Client({ connectionString: stack.urls.postgres })
  await client.connect()
  try {
    const { rows } = await client.query(
      'select sum(used)::int as used from quota_usage where project_id = $1',
      [dsnId],
    )
    return rows[0].used
  } finally {
    await client.end()
  }
}

async function fetchText(clickhouseUrl: string, query: string): Promise<string> {
  const url = new URL(clickhouseUrl)
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`
  const response = await fetch(url.origin, {
    method: 'POST',
    body: query,
    headers: { authorization },
  })
  return response.text()
}
