/**
 * Two installations on one machine, started as separate processes as the README describes, with
 * common configuration errors: a shared log folder, working directory, bus or ClickHouse database,
 * a wrong secret, a missing migration.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { projectRoot } from '#platform/project-root.ts'
import { migrate } from '../../dev/migrate.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { serviceEntries } from '../../dev/service-plan.ts'
import type { ServiceName } from '../../dev/stack-settings.ts'
import { startBus, type TestBus } from '../fixtures/processes/bus.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const migrateEntry = join(projectRoot, 'dist/dev/migrate.js')
const secret = randomBytes(20).toString('hex')
let folder: string
let product: RunningProduct
let busOfB: TestBus
let a: Record<string, string>
let b: Record<string, string>
let idOfA: string
let idOfB: string
let project: TestProject
const running: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-installation-'))
  product = await RunningProduct.start({ services: [] })
  busOfB = await startBus()
  const { postgres, nats, clickhouse } = product.stack.urls
  const common = {
    SLUICE_SECRET: secret,
    SMTP_URL: 'smtp://127.0.0.1:1',
  }
  a = { ...common, POSTGRES_URL: postgres, NATS_URL: nats, CLICKHOUSE_URL: clickhouse }
  b = {
    ...common,
    POSTGRES_URL: await newDatabase(),
    NATS_URL: busOfB.url,
    CLICKHOUSE_URL: withPath(clickhouse, '/second'),
  }
  idOfA = (await product.postgres.query('select id from installation')).rows[0].id
  idOfB = (await migrateFor(b)).installationId
  expect(idOfA).not.toBe(idOfB)
  await layOutBusOfB()
  project = await product.projectAtOnce('ours')
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => end(child)))
})

afterAll(async () => {
  await Promise.all([product?.stop(), busOfB?.stop()])
  await rm(folder, { recursive: true, force: true })
})

describe('Six events that one installation has answered 200', () => {
  test('stay in its log when another one starts with the same INGEST_LOG_DIR', async () => {
    const shared = { INGEST_LOG_DIR: join(folder, 'shared') }
    await acceptSix({ ...a, ...shared })

    const refused = await endOf('ingest', { ...b, ...shared })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(idOfA)
    expect(refused.stderr).toContain(idOfB)
    expect(refused.stderr).toContain('INGEST_LOG_DIR')
    expect(await framesOnBusOfB()).toBe(0)

    await digestSix({ ...a, ...shared })
  })

  test('stay in its log when another one starts in the same working directory', async () => {
    const shared = { SLUICE_DATA_DIR: join(folder, 'data') }
    await acceptSix({ ...a, ...shared })

    const other = await start('ingest', { ...b, ...shared })
    await start('workers', { ...b, ...shared })
    // A process looks for logs of dead processes right after its start.
    await waitUntil(
      'a search for logs',
      async () => (await metric(other, 'ingest_logs_left_alone')) === 0,
    )
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(await framesOnBusOfB()).toBe(0)
    expect(await eventsOf(b)).toBe(0)
    expect((await readdir(join(folder, 'data/ingest-log'))).sort()).toEqual([idOfA, idOfB].sort())

    await digestSix({ ...a, ...shared })
    expect(await eventsOf(b)).toBe(0)
  })

  /** Sends six events that are answered 200, and kills ingest before a worker reads them. */
  async function acceptSix(env: Record<string, string>): Promise<void> {
    const ingest = await start('ingest', env)
    for (let sent = 0; sent < 6; sent += 1) {
      const reply = await send(ingest.url, randomUUID().replaceAll('-', ''))
      expect(reply).toBe(200)
    }
    await end(ingest.child, 'SIGKILL')
  }

  async function digestSix(env: Record<string, string>): Promise<void> {
    const before = await eventsOf(a)
    await start('ingest', env)
    await start('workers', env)
    await waitUntil('six events', async () => (await eventsOf(a)) === before + 6)
  }
})

describe('A process exits at its start with one sentence and code 1 when', () => {
  const services: ServiceName[] = ['ingest', 'workers', 'mailer', 'api']

  test('its bus belongs to another installation', async () => {
    for (const service of ['ingest', 'workers'] as const) {
      await expectRefusal(service, { ...b, NATS_URL: a['NATS_URL']! }, [idOfA, idOfB, 'NATS_URL'])
    }
  })

  test('its ClickHouse database belongs to another installation', async () => {
    const env = { ...b, CLICKHOUSE_URL: a['CLICKHOUSE_URL']! }
    for (const service of ['workers', 'api'] as const) {
      await expectRefusal(service, env, [idOfA, idOfB, 'CLICKHOUSE_URL'])
    }
    const migrated = await runProgram(process.execPath, [migrateEntry], env)
    expect([migrated.code, migrated.stderr.includes(idOfA)]).toEqual([1, true])
  })

  test('SLUICE_SECRET differs from the secret in use', async () => {
    await start('mailer', b)
    const env = { ...b, SLUICE_SECRET: 'x'.repeat(40) }
    for (const service of ['workers', 'mailer', 'api'] as const) {
      await expectRefusal(service, env, ['SLUICE_SECRET', idOfB])
    }
  })

  test('Postgres was not migrated', async () => {
    const env = { ...b, POSTGRES_URL: await newDatabase() }
    for (const service of services)
      await expectRefusal(service, env, ['Postgres', 'npm run migrate'])
  })

  test('ClickHouse was not migrated', async () => {
    const env = { ...b, CLICKHOUSE_URL: withPath(b['CLICKHOUSE_URL']!, '/nothing') }
    for (const service of ['workers', 'api'] as const) {
      await expectRefusal(service, env, ['ClickHouse', 'npm run migrate'])
    }
  })

  test('Postgres is newer than the program', async () => {
    const database = await newDatabase()
    const env = {
      ...b,
      POSTGRES_URL: database,
      CLICKHOUSE_URL: withPath(b['CLICKHOUSE_URL']!, '/third'),
    }
    await migrateFor(env)
    await queryAt(database, `insert into migrations (name, sha256) values ('9999-later.sql', '')`)
    for (const service of services) await expectRefusal(service, env, ['9999-later.sql', 'newer'])
    const migrated = await runProgram(process.execPath, [migrateEntry], env)
    expect([migrated.code, migrated.stderr.includes('newer')]).toEqual([1, true])
  })

  async function expectRefusal(
    service: ServiceName,
    env: Record<string, string>,
    words: readonly string[],
  ): Promise<void> {
    const { code, stderr } = await endOf(service, env)
    const sentences = stderr.split('\n').filter((line) => line.startsWith(`${service}: `))
    expect([service, code, sentences.length]).toEqual([service, 1, 1])
    for (const word of words)
      expect([service, sentences[0]]).toEqual([service, expect.stringContaining(word)])
  }
})

test('the command lines of the README start each process with exactly the variables that they name', async () => {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8')
  const lines = [...readme.matchAll(/^((?:[A-Z_]+=… )+)npm run (\w+)/gm)]
  expect(lines.map(([, , name]) => name)).toEqual(['migrate', 'ingest', 'workers', 'api', 'mailer'])
  for (const [, variables = '', name = ''] of lines) {
    const named = [...variables.matchAll(/([A-Z_]+)=/g)].map(([, variable = '']) => variable)
    const env = Object.fromEntries(named.map((variable) => [variable, b[variable] ?? '']))
    if (name === 'migrate') {
      const { code } = await runProgram(process.execPath, [migrateEntry], {
        ...env,
        LOG_LEVEL: 'error',
      })
      expect(code).toBe(0)
    } else await start(name as ServiceName, { ...env, SLUICE_DATA_DIR: join(folder, 'readme') })
  }
})

test('ingest logs that INGEST_PARTITIONS and INGEST_STREAMS differ from the existing streams', async () => {
  const env = { ...b, INGEST_PARTITIONS: '8', SLUICE_DATA_DIR: join(folder, 'layout') }
  const ingest = await start('ingest', env)
  expect(ingest.lines.join('')).toContain('INGEST_PARTITIONS=8 and INGEST_STREAMS=1 are ignored')
})

test('ingest waits for Postgres at its start and logs that', async () => {
  const port = await freePort()
  const url = new URL(b['POSTGRES_URL']!)
  const to = { host: url.hostname, port: Number(url.port) }
  url.port = String(port)
  const ingest = await launch('ingest', {
    ...b,
    POSTGRES_URL: url.href,
    SLUICE_DATA_DIR: join(folder, 'waiting'),
  })
  await waitUntil('the line of the log', async () =>
    ingest.lines.join('').includes('Postgres could not be reached; retrying.'),
  )
  const { createServer, connect } = await import('node:net')
  const link = createServer((socket) => {
    const up = connect(to)
    socket.pipe(up).pipe(socket)
    for (const one of [socket, up]) one.on('error', () => undefined)
  }).listen(port, '127.0.0.1')
  try {
    await serves(ingest)
    await end(ingest.child)
  } finally {
    link.close()
  }
})

interface StartedService {
  readonly name: ServiceName
  readonly child: ChildProcess
  readonly url: string
  readonly opsUrl: string
  readonly lines: readonly string[]
}

/** Starts a service and waits until it serves. */
async function start(name: ServiceName, given: Record<string, string>): Promise<StartedService> {
  const service = await launch(name, given)
  await serves(service)
  return service
}

async function launch(name: ServiceName, given: Record<string, string>): Promise<StartedService> {
  const { env, url, opsUrl } = await environment(name, given)
  const child = spawn(process.execPath, [join(projectRoot, 'dist', serviceEntries[name])], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  }
  return { name, child, url, opsUrl, lines }
}

async function serves({ name, child, url, lines }: StartedService): Promise<void> {
  // There is no mail server, so a mailer starts but is not ready.
  const path = name === 'mailer' ? '/health' : '/health/ready'
  await waitUntil(`${name} has started`, async () => {
    if (child.exitCode !== null) throw new Error(lines.join(''))
    return (await fetch(`${url}${path}`).catch(() => undefined))?.ok === true
  })
}

/** Runs a service that is expected to exit by itself. */
async function endOf(name: ServiceName, given: Record<string, string>) {
  const { env } = await environment(name, given)
  return runProgram(process.execPath, [join(projectRoot, 'dist', serviceEntries[name])], env)
}

const portVariables = {
  ingest: 'INGEST_PORT',
  workers: 'WORKERS_PORT',
  mailer: 'MAILER_PORT',
  api: 'API_PORT',
}

async function environment(name: ServiceName, given: Record<string, string>) {
  const [port, opsPort] = [await freePort(), await freePort()]
  const dataDir = join(folder, 'unused')
  await mkdir(dataDir, { recursive: true })
  const own = {
    SLUICE_DATA_DIR: dataDir,
    WORKERS_THREADS: '1',
    [portVariables[name]]: String(port),
    INGEST_OPS_PORT: String(opsPort),
    API_OPS_PORT: String(opsPort),
  }
  const env = { ...(inheritedEnv() as Record<string, string>), ...own, ...given }
  return { env, url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` }
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

async function send(ingestUrl: string, eventId: string): Promise<number> {
  const url = `${ingestUrl}/api/${project.dsnId}/envelope/?sentry_key=${project.publicKey}`
  const body = `{"event_id":"${eventId}"}\n{"type":"event"}\n{"message":"ours"}`
  return (await fetch(url, { method: 'POST', body })).status
}

/** A metric of ingest, which serves metrics on a port of its own. */
async function metric({ opsUrl }: StartedService, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text()
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

/** Creates streams smaller than the default, because the test's own bus has little room. */
async function layOutBusOfB(): Promise<void> {
  const nats = await connectNats(busOfB.url, 'test')
  const size = { first: 0, partitions: 4, streams: 1, bytesMax: 64 * 1024 ** 2, replicas: 1 }
  await ensureIngestStreams(nats, { ...size, installationId: idOfB })
  await nats.close()
}

async function framesOnBusOfB(): Promise<number> {
  const nats = await connectNats(busOfB.url, 'test')
  try {
    const manager = await jetstreamManager(nats)
    let frames = 0
    for await (const { state } of manager.streams.list()) frames += state.last_seq
    return frames
  } finally {
    await nats.close()
  }
}

async function eventsOf(env: Record<string, string>): Promise<number> {
  const database = new URL(env['CLICKHOUSE_URL']!).pathname.slice(1)
  const rows = await product.rowsOf<{ count: string }>(
    `select count() as count from ${database}.events`,
  )
  return Number(rows[0]?.count)
}

function migrateFor(env: Record<string, string>) {
  const urls = { postgresUrl: env['POSTGRES_URL']!, clickhouseUrl: env['CLICKHOUSE_URL']! }
  return migrate(urls, createLogger('test', 'silent'))
}

/** Creates an empty database on the stack's server. */
async function newDatabase(): Promise<string> {
  const name = `other_${randomBytes(6).toString('hex')}`
  await product.postgres.query(`create database ${name}`)
  return withPath(product.stack.urls.postgres, `/${name}`)
}

async function queryAt(url: string, sql: string): Promise<void> {
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

function withPath(url: string, path: string): string {
  const other = new URL(url)
  other.pathname = path
  return other.href
}
