import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { childrenOf, commandLine, isAlive, waitForExit } from './processes/process-table.ts'

let dataDir: string
let supervisor: ChildProcess | undefined

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-start-'))
  // The Postgres user must be able to enter, or Postgres would store its data outside this folder.
  await chmod(dataDir, 0o711)
})

afterEach(async () => {
  if (supervisor?.pid !== undefined && isAlive(supervisor.pid)) {
    const children = childrenOf(supervisor.pid)
    supervisor.kill('SIGKILL')
    await Promise.all(children.map((pid) => waitForExit(pid, 10_000)))
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

test('the children of a killed supervisor end, and the next start succeeds', async () => {
  const first = await startUntilReady()
  const children = childrenOf(first.pid)
  expect(children).toHaveLength(8)
  process.kill(first.pid, 'SIGKILL')
  await Promise.all(children.map((pid) => waitForExit(pid, 10_000)))
  expect(children.filter(isAlive).map(commandLine)).toEqual([])

  // The killed supervisor left this file behind. The next start removes it too, but only after a
  // while.
  await rm(join(dataDir, 'demo.json'))
  const second = await startUntilReady()
  const again = childrenOf(second.pid)
  // npm forwards a signal that the terminal has sent as well; both together count as one Ctrl-C.
  process.kill(second.pid, 'SIGINT')
  process.kill(second.pid, 'SIGINT')
  expect(await second.exit).toBe(0)
  expect(again.filter(isAlive)).toEqual([])
  expect(second.output()).toContain('Stopping')
})

test('a second Ctrl-C kills all processes at once', async () => {
  const { pid, exit } = await startUntilReady()
  const children = childrenOf(pid)
  // Stopped processes do not react to the first Ctrl-C.
  for (const child of children) process.kill(child, 'SIGSTOP')
  process.kill(pid, 'SIGINT')
  await sleep(700)
  process.kill(pid, 'SIGINT')
  expect(await exit).toBe(1)
  const gone = await Promise.all(children.map((child) => waitForExit(child, 5_000)))
  expect(gone).toEqual(children.map(() => true))
})

test('a port in use is reported in one sentence, with exit code 1', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    const address = server.address()
    const port = String(typeof address === 'object' ? address?.port : 0)
    const { exit, output } = start({ API_PORT: port })
    expect(await exit).toBe(1)
    expect(output().trim()).toBe(
      `Port ${port} for api is already in use. Stop the program that listens on it, or set API_PORT to a free port.`,
    )
  } finally {
    server.close()
  }
})

test('invalid variables are reported by name, with exit code 1', async () => {
  const { exit, output } = start({ RETENTION_DAYS: '0', INGEST_PORT: 'x' })
  expect(await exit).toBe(1)
  expect(output()).toContain('INGEST_PORT: ')
})

async function startUntilReady() {
  const started = start({})
  const file = join(dataDir, 'demo.json')
  while (!existsSync(file)) {
    if (!isAlive(started.pid)) throw new Error(`the start failed:\n${started.output()}`)
    await sleep(100)
  }
  return started
}

function start(env: Record<string, string>) {
  const anyPort = { INGEST_PORT: '0', WORKERS_PORT: '0', MAILER_PORT: '0', API_PORT: '0' }
  const engines = ['POSTGRES', 'NATS', 'CLICKHOUSE', 'SMTP'].map((name) => [
    `EMBEDDED_${name}_PORT`,
    '0',
  ])
  const child = spawn(process.execPath, [join(projectRoot, 'dist/dev/start.js')], {
    env: {
      ...inheritedEnv(),
      ...anyPort,
      ...Object.fromEntries(engines),
      ...env,
      SLUICE_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  supervisor = child
  let text = ''
  const keep = (chunk: Buffer) => {
    text += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  if (child.pid === undefined) throw new Error('the supervisor did not start')
  return { pid: child.pid, exit, output: () => text }
}
