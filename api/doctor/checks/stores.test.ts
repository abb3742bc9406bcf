/** The checks on real stores, each with its fault. */
import { createHash, randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClickHouse } from '#platform/clickhouse.ts'
import { secretFingerprint } from '#platform/installation/check-secret.ts'
import { claimClickHouse, readInstallation } from '#platform/installation/installation.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus } from '../../../test/fixtures/processes/bus.ts'
import { useDurablePostgres } from '../../../test/fixtures/processes/durable-postgres.ts'
import { type PostgresFixture, usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import type { Check } from '../doctor-context.ts'
import { DoctorSettings } from '../doctor-settings.ts'
import type { Finding } from '../finding.ts'
import { openContext } from '../open-context.ts'
import { checks, runChecks } from '../run-checks.ts'
import { backupsCheck } from './backups.ts'
import { clickhouseCheck } from './clickhouse.ts'
import { clocksCheck } from './clocks.ts'
import { installationCheck } from './installation.ts'
import { locksCheck } from './locks.ts'
import { mailCheck } from './mail.ts'
import { migrationsCheck } from './migrations.ts'
import { natsCheck } from './nats.ts'
import { pipelineCheck } from './pipeline.ts'
import { postgresCheck } from './postgres.ts'
import { secretCheck } from './secret.ts'
import { streamsCheck } from './streams.ts'
import { tablesCheck } from './tables.ts'

let fixture: PostgresFixture
usePostgres((given) => {
  fixture = given
})
useDurablePostgres(() => fixture.pg)

let bus: TestBus | undefined
let nats: NatsConnection
let installationId: string

beforeAll(async () => {
  bus = await startBus()
  nats = await connectNats(bus.url, 'test')
})
afterAll(async () => {
  await nats?.close()
  await bus?.stop()
})

beforeEach(async () => {
  installationId = (await readInstallation(fixture.pg)).id
  await ensureIngestStreams(nats, {
    installationId,
    first: 0,
    partitions: 2,
    streams: 1,
    bytesMax: 16 * MiB,
    replicas: 1,
  })
})

async function find(check: Check, env: NodeJS.ProcessEnv = {}): Promise<Finding[]> {
  const { postgresUrl, clickhouseUrl } = fixture.stores
  const settings = await DoctorSettings.read({
    SLUICE_DATA_DIR: '/nowhere/at/all',
    POSTGRES_URL: postgresUrl,
    CLICKHOUSE_URL: clickhouseUrl,
    NATS_URL: bus?.url,
    ...env,
  })
  const { ctx, close } = openContext(settings)
  try {
    return await runChecks(ctx, { of: [check], msMax: 60_000 })
  } finally {
    await close()
  }
}

const faults = (findings: readonly Finding[]) =>
  findings
    .filter(({ status }) => status === 'problem' || status === 'warning')
    .map(({ check, status, found }) => `${status} ${check}: ${found}`)

const query = (text: string, values: unknown[] = []) => fixture.pg.query(text, values)

/** Checks that need nothing but the stores of this file. */
const groupsOfStores = new Set([
  ...['postgres', 'clickhouse', 'tables', 'migrations', 'nats', 'streams'],
  ...['installation', 'clocks', 'mail', 'locks'],
])

test('stores as they should be have no fault', async () => {
  const clickhouse = createClickHouse(fixture.stores.clickhouseUrl, 'test')
  await claimClickHouse(clickhouse, installationId).finally(() => clickhouse.close())
  for (const check of checks.filter(({ group }) => groupsOfStores.has(group))) {
    const findings = await find(check)
    // The disk of the machine that runs the tests may be nearly full.
    const found = faults(findings).filter((text) => !/clickhouse\.disk_/.test(text))
    expect([check.group, found]).toEqual([check.group, []])
    expect(findings.some(({ status }) => status === 'ok')).toBe(true)
  }
  const groups = new Set(checks.map(({ group }) => group))
  expect([...groupsOfStores].filter((group) => !groups.has(group))).toEqual([])
})

describe('a store that does not answer is one problem, and what needs it is skipped', () => {
  const gone = {
    POSTGRES_URL: 'postgres://x:hunter2@127.0.0.1:1/x',
    CLICKHOUSE_URL: 'http://x:hunter2@127.0.0.1:1/x',
    NATS_URL: 'nats://x:hunter2@127.0.0.1:1',
  }
  test.each([
    [postgresCheck, 'problem'],
    [clickhouseCheck, 'problem'],
    [natsCheck, 'problem'],
    [tablesCheck, 'skipped'],
    [streamsCheck, 'skipped'],
    [migrationsCheck, 'skipped'],
    [installationCheck, 'skipped'],
    [clocksCheck, 'skipped'],
    [pipelineCheck, 'skipped'],
    [mailCheck, 'skipped'],
    [locksCheck, 'skipped'],
    [backupsCheck, 'skipped'],
  ] as const)('%o', async (check, status) => {
    const findings = await find(check, gone)
    expect(new Set(findings.map((finding) => finding.status))).toEqual(new Set([status]))
    expect(JSON.stringify(findings)).not.toContain('hunter2')
  })

  test('a wrong password', async () => {
    const url = new URL(bus?.url ?? '')
    url.password = 'wrong'
    expect(faults(await find(natsCheck, { NATS_URL: url.href }))).toEqual([
      expect.stringMatching(/^problem nats\.reachable: NATS does not answer: .*authorization/i),
    ])
  })
})

describe('migrations', () => {
  const name = '0001-people-and-projects.sql'
  // biome-ignore format: the columns are the point
  test.each([
    ['one is missing',       `delete from migrations where name = '${name}'`,                           `Postgres lacks migrations of this version (${name})`],
    ['one is of the future', `insert into migrations values ('9999-x.sql', 'x')`,                       'newer version'],
    ['one was edited',       `update migrations set sha256 = 'x' where name = '${name}'`,               `${name} ran with another content`],
    ['there are none',       'alter table migrations rename to migrations_gone',                        'not migrated yet'],
  ] as const)('%s', async (_what, sql, words) => {
    const { rows } = await query('select name, sha256 from migrations')
    await query(sql)
    try {
      const [found, ...others] = faults(await find(migrationsCheck))
      expect(found).toContain(words)
      expect(others).toEqual([])
    } finally {
      await query('alter table if exists migrations_gone rename to migrations')
      await query('delete from migrations')
      for (const row of rows) {
        await query('insert into migrations (name, sha256) values ($1, $2)', [row.name, row.sha256])
      }
    }
  })
})

describe('the secret', () => {
  const random = (text: string) => createHash('sha256').update(text).digest('hex')
  const [mine, other] = [random('a'), random('b')]
  // biome-ignore format: the columns are the point
  test.each([
    ['the right one',               { SLUICE_SECRET: mine },                                  'ok'],
    ['another one',                 { SLUICE_SECRET: other },                                 'problem'],
    ['a rotation that has not ended', { SLUICE_SECRET: other, SLUICE_SECRET_PREVIOUS: mine }, 'warning'],
    ['a rotation that has ended',   { SLUICE_SECRET: mine, SLUICE_SECRET_PREVIOUS: other },   'ok'],
  ] as const)('%s', async (_what, env, status) => {
    const fingerprint = secretFingerprint(mine, installationId)
    await query('update installation set secret_fingerprint = $1', [fingerprint])
    const findings = await find(secretCheck, env)
    expect(findings.map((finding) => finding.check)).toContain('secret.identity')
    expect(findings.find((finding) => finding.check === 'secret.identity')?.status).toBe(status)
    const { rows } = await query('select secret_fingerprint as now from installation')
    expect(rows[0].now).toEqual(fingerprint)
  })
})

describe('streams', () => {
  const change = async (config: object) => {
    const manager = await jetstreamManager(nats)
    await manager.streams.update('INGEST', config)
  }
  const right = { discard: 'new', max_age: 0, max_bytes: 16 * MiB, duplicate_window: 120e9 }

  // biome-ignore format: the columns are the point
  test.each([
    ['drops old frames',   { discard: 'old' },           'problem streams.INGEST_discard'],
    ['expires frames',     { max_age: 3600e9 },          'problem streams.INGEST_max_age'],
    ['has a short window', { duplicate_window: 10e9 },   'problem streams.INGEST_duplicate_window'],
    ['has no limit',       { max_bytes: -1 },            'warning streams.INGEST_max_bytes'],
  ] as const)('a stream that %s', async (_what, config, words) => {
    await change(config)
    try {
      expect(faults(await find(streamsCheck))).toEqual([expect.stringContaining(words)])
    } finally {
      await change(right)
    }
  })

  test('settings that the streams do not follow', async () => {
    const env = { INGEST_PARTITIONS: '16', INGEST_STREAMS: '1' }
    expect(faults(await find(streamsCheck, env))).toEqual([
      'warning streams.ingest_partitions: INGEST_PARTITIONS is 16, and the streams have 2, which is used.',
    ])
  })

  test('none yet', async () => {
    const manager = await jetstreamManager(nats)
    await manager.streams.delete('INGEST')
    expect(faults(await find(streamsCheck))).toEqual([
      'warning streams.all: There are no streams yet.',
    ])
  })
})

test('stores of another installation', async () => {
  const id = randomUUID()
  await query('update installation set id = $1', [id])
  try {
    const found = faults(await find(installationCheck))
    expect(found).toContain(
      `problem installation.streams: A stream belongs to installation ${installationId}.`,
    )
  } finally {
    await query('update installation set id = $1', [installationId])
  }
})

describe('the pipeline', () => {
  const cursor = `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq, updated_at)
    values (0, 1, 'x', 1, $1, $2, now() - $3::interval)`
  beforeEach(async () => {
    await query('delete from partition_cursors')
    await query('delete from dead_letters')
    await query('delete from workers')
    await query('insert into workers (id, seen_at) values ($1, now())', [randomUUID()])
  })

  test('all is well', async () => {
    await query(cursor, [5, 5, '1 hour'])
    expect(faults(await find(pipelineCheck))).toEqual([])
  })

  test('of a version that does not have the columns of this one', async () => {
    await query(cursor, [5, 9, '2 minutes'])
    await query('alter table installation rename column first_partition to first_partition_later')
    try {
      expect(faults(await find(pipelineCheck))).toEqual([
        expect.stringContaining('problem pipeline.partitions: Partition 0 has a planned range'),
      ])
    } finally {
      await query('alter table installation rename column first_partition_later to first_partition')
    }
  })

  test('no worker', async () => {
    await query(`update workers set seen_at = now() - interval '1 minute'`)
    expect(faults(await find(pipelineCheck))).toEqual([expect.stringMatching(/^problem .*workers/)])
  })

  test('a range that is not committed', async () => {
    await query(cursor, [5, 9, '2 minutes'])
    expect(faults(await find(pipelineCheck))).toEqual([
      expect.stringContaining('problem pipeline.partitions: Partition 0 has a planned range'),
    ])
  })

  test('messages that nobody reads', async () => {
    await query(cursor, [0, 0, '2 minutes'])
    await nats.request('ingest.0', 'x')
    expect(faults(await find(pipelineCheck))).toEqual([
      expect.stringContaining('1 messages wait and no partition has moved'),
    ])
    await (await jetstreamManager(nats)).streams.delete('INGEST')
  })

  test('dead letters', async () => {
    await query(
      `insert into dead_letters (generation, partition, stream_seq, record_index, reason, detail, bytes)
         values (1, 0, 1, 0, 'undigestible', 'x', '')`,
    )
    expect(faults(await find(pipelineCheck))).toEqual([
      expect.stringContaining('warning pipeline.dead_letters: Dead letters are kept: 1.'),
    ])
  })

  test('jobs that are late and jobs that have failed', async () => {
    const add = `select graphile_worker.add_job('x', run_at := now() - interval '1 hour')`
    await query(add)
    expect(faults(await find(pipelineCheck))).toEqual([expect.stringContaining('oldest job')])
    await query('update graphile_worker._private_jobs set attempts = max_attempts')
    expect(faults(await find(pipelineCheck))).toEqual([
      expect.stringContaining('warning pipeline.jobs: 1 job has failed for good (x).'),
    ])
    await query('delete from graphile_worker._private_jobs')
  })
})

test('an email that nobody sends', async () => {
  const { rows } = await query(
    `insert into organizations (id, name) values (gen_random_uuid(), 'x') returning id`,
  )
  const [id] = rows.map((row) => row.id)
  await query('alter table sends disable trigger all')
  await query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, not_before)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'transactional', 1, 'a@b.test', 'c@d.test', 's', 't', now() - interval '20 minutes')`,
    [id],
  )
  expect(faults(await find(mailCheck))).toEqual([
    expect.stringContaining('problem mail.waiting: 1 email waits, the oldest for 20 min.'),
  ])
  await query('delete from sends')
  await query('alter table sends enable trigger all')
})

test('a session that makes others wait for a lock is named, with the statement that ends it', async () => {
  const { pg } = fixture
  const [holder, waiter] = await Promise.all([pg.connect(), pg.connect()])
  try {
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid
    // As psql has it: our own pools end such a session after ten seconds.
    await holder.query('set idle_in_transaction_session_timeout = 0')
    await holder.query('begin; lock table issues in exclusive mode')
    await waiter.query("set statement_timeout = '60s'")
    const waiting = waiter.query('delete from issues where false').catch(() => undefined)
    await expect
      .poll(async () => faults(await find(locksCheck)), { interval: 500 })
      .toEqual([
        expect.stringMatching(new RegExp(`^problem locks.session_${pid}: 1 query waits, .*idle`)),
      ])
    const [finding] = await find(locksCheck)
    expect(finding?.advice).toContain(`pg_terminate_backend(${pid})`)
    await holder.query('rollback')
    await waiting
    expect(faults(await find(locksCheck))).toEqual([])
  } finally {
    // Not back into the pool: with a transaction and a time limit of their own.
    holder.release(true)
    waiter.release(true)
  }
})
