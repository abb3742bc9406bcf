/**
 * The commands of the README for separate processes, run as printed: only the URLs and the secret
 * are filled in. Postgres is reached as a role without further rights, as on a managed server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { startBus, type TestBus } from '../fixtures/processes/bus.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const opsPorts = {
  ingest: 'INGEST_OPS_PORT',
  workers: 'WORKERS_PORT',
  api: 'API_OPS_PORT',
  mailer: 'MAILER_PORT',
} as const

let folder: string
let product: RunningProduct
let bus: TestBus
let env: Record<string, string>
let values: Record<string, string>
let lines: string[]
const running: ChildProcess[] = []
const outputMax = 20_000
/** The end of what the processes printed, for a failure. */
let output = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-readme-'))
  product = await RunningProduct.start({ services: [] })
  bus = await startBus()
  const { postgres, clickhouse } = product.stack.urls
  await product.postgres.query(`create role plain login password 'plain'`)
  await product.postgres.query('create database plain owner plain')
  const ports = [...Object.values(opsPorts), 'INGEST_PORT', 'API_PORT']
  const numbers = await Promise.all(ports.map(() => freePort()))
  env = {
    SLUICE_DATA_DIR: folder,
    // The broker of the test reserves less than the default.
    INGEST_STREAM_BYTES_MAX: String(64 * 1024 ** 2),
    ...Object.fromEntries(ports.map((name, index) => [name, String(numbers[index])])),
  }
  const plain = Object.assign(new URL(postgres), { username: 'plain', password: 'plain' })
  values = {
    POSTGRES_URL: Object.assign(plain, { pathname: '/plain' }).href,
    CLICKHOUSE_URL: Object.assign(new URL(clickhouse), { pathname: '/plain' }).href,
    NATS_URL: bus.url,
    SMTP_URL: 'smtp://127.0.0.1:1?ignoreTLS=true',
    SLUICE_SECRET: 'a secret of this test, of enough characters',
  }
  lines = await readLines()
})

afterAll(async () => {
  await Promise.all(running.map(end))
  await Promise.all([product?.stop(), bus?.stop()])
  await rm(folder, { recursive: true, force: true })
})

test('the lines migrate, start every process, and an event becomes an issue', async () => {
  expect(lines.map(commandOf)).toEqual(['migrate', 'ingest', 'workers', 'api', 'mailer'])
  const [migrate = '', ...services] = lines
  const migrated = await runProgram('sh', ['-c', filledIn(migrate)], env)
  expect([migrated.code, migrated.stderr]).toEqual([0, migrated.stderr])

  for (const line of services) start(filledIn(line))
  for (const line of services) {
    const name = commandOf(line) as keyof typeof opsPorts
    // Nothing sends email here, so the mailer only has to run.
    const path = name === 'mailer' ? '/health' : '/health/ready'
    const url = `http://127.0.0.1:${env[opsPorts[name]]}${path}`
    await waitUntil(`${name} at ${url}`, async () => (await fetch(url)).ok, 30_000).catch(
      (cause) => {
        throw new Error(`${name} is not ready:\n${output}`, { cause })
      },
    )
  }

  const ingestUrl = `http://127.0.0.1:${env['INGEST_PORT']}`
  const apiUrl = `http://127.0.0.1:${env['API_PORT']}`
  const words = 'setup --organization Readme --email owner@readme.test --json'
  const setup = await runProgram(
    process.execPath,
    [join(projectRoot, 'dist/dev/entry/sluice.js'), 'admin', ...words.split(' ')],
    { ...env, ...values, INGEST_URL: ingestUrl, API_URL: apiUrl },
  )
  expect([setup.code, setup.stderr]).toEqual([0, ''])
  const made = JSON.parse(setup.stdout)
  expect(made.dsn).toMatch(new RegExp(`@127\\.0\\.0\\.1:${env['INGEST_PORT']}/1$`))

  const { username, pathname } = new URL(made.dsn)
  const stored = await fetch(`${ingestUrl}/api${pathname}/store/?sentry_key=${username}`, {
    method: 'POST',
    body: '{"message":"from the readme"}',
  })
  expect(stored.status).toBe(200)
  await waitUntil('the issue', async () => {
    const response = await fetch(`${apiUrl}/api/v1/projects/${made.project_id}/issues`, {
      headers: { 'x-api-key': made.access_token },
    })
    const { items } = (await response.json()) as { items: unknown[] }
    return items.length === 1
  })
})

/** The first code block of the section. */
async function readLines(): Promise<string[]> {
  const text = await readFile(join(projectRoot, 'README.md'), 'utf8')
  const section = text.slice(text.indexOf('\n## Run it on more machines'))
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? ''
  return block.split('\n').filter((line) => line.includes('npm run'))
}

function commandOf(line: string): string {
  return /npm run (\w+)/.exec(line)?.[1] ?? ''
}

/** Fails for a variable that this test does not know, so that no line runs with an empty value. */
function filledIn(line: string): string {
  return line.replace(/\b([A-Z_]+)=…/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the README names ${name}, and this test has no value`)
    return `${name}='${value}'`
  })
}

/** In a process group, because npm and the shell start further processes. */
function start(line: string): void {
  const own = { cwd: projectRoot, env: { ...inheritedEnv(), ...env }, detached: true } as const
  const child = spawn('sh', ['-c', line], { ...own, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (output = `${output}${text}`.slice(-outputMax)))
  }
  running.push(child)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await ended
}
