/**
 * Children whose parent is killed while native code blocks their main thread, or while the embedded
 * ClickHouse runs a query.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { waitUntil } from '../../test/fixtures/processes/wait-until.ts'
import { embeddedClickHouse } from '../engines/clickhouse.ts'
import type { Engine } from '../engines/engine.ts'
import { readSecrets } from '../engines/secrets.ts'
import { freePort } from './free-port.ts'
import type { Launch } from './process-plan.ts'
import { isAlive, startMark, waitForExit } from './process-table.ts'

/** Drain time, grace period of the thread, and reserve for a loaded machine. */
const goneMsMax = 60_000

let folder: string
let parent: ChildProcess
let childPid: number | undefined
/** The pid may belong to another process when the test is over. */
let childMark: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-orphan-'))
  await chmod(folder, 0o711)
})

afterEach(async () => {
  parent?.kill('SIGKILL')
  const isOurs = childPid !== undefined && startMark(childPid) === childMark
  if (childPid !== undefined && isOurs && isAlive(childPid)) process.kill(childPid, 'SIGKILL')
  childPid = undefined
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Starts a parent that starts the child as the supervisor does, and prints its pid and output. */
async function startFamily({ file, args, env }: Launch): Promise<() => string> {
  const script = `
    const { spawn } = require('node:child_process')
    const [file, args] = JSON.parse(process.argv[1])
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    console.log('pid ' + child.pid)
    child.stdout.pipe(process.stdout)`
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  let output = ''
  parent = spawn(process.execPath, ['-e', script, JSON.stringify([file, args])], {
    ...{ env, cwd: projectRoot, stdio: [...stdio] },
  })
  parent.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  childPid = await waitUntil('the child', async () => {
    const pid = /pid (\d+)/.exec(output)?.[1]
    return pid === undefined ? undefined : Number(pid)
  })
  childMark = startMark(childPid)
  return () => output
}

function answers({ plan }: Engine): Promise<boolean> {
  return waitUntil('ClickHouse', () => plan.probe().then(() => true), 60_000)
}

test('a child whose main thread is blocked forever is killed', async () => {
  const module = pathToFileURL(join(projectRoot, 'dist/dev/processes/kill-with-parent.js')).href
  const script = `
    import { writeSync } from 'node:fs'
    import { killWithParent } from ${JSON.stringify(module)}
    killWithParent()
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {})
    writeSync(1, 'blocked')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
  const output = await startFamily({
    file: process.execPath,
    args: ['--input-type=module', '-e', script],
    env: inheritedEnv(),
    channel: true,
  })
  await waitUntil('the block', async () => output().includes('blocked'))
  parent.kill('SIGKILL')
  expect(await waitForExit(childPid!, goneMsMax)).toBe(true)
})

test('a ClickHouse that runs a long query ends soon after its supervisor', async () => {
  const { clickhouse: password } = await readSecrets(folder)
  const port = await freePort()
  const engine = embeddedClickHouse({ dataDir: folder, port, password, env: inheritedEnv() })
  await startFamily(await engine.plan.launch())
  await answers(engine)
  const url = new URL(engine.url)
  const headers = { Authorization: `Basic ${btoa(`default:${password}`)}` }
  const body = 'select sum(cityHash64(number)) from numbers(1000000000000)'
  const query = fetch(`http://${url.host}/?database=default`, { method: 'POST', headers, body })
  const ended = query.then(
    ({ status }) => `answered ${status}`,
    () => 'cut',
  )
  // Long enough for the query to start.
  const early = new Promise((resolve) => setTimeout(resolve, 1_500, 'still runs'))
  expect(await Promise.race([ended, early])).toBe('still runs')
  parent.kill('SIGKILL')
  expect(await waitForExit(childPid!, goneMsMax)).toBe(true)
  expect(await ended).toBe('cut')
})

test('a child that is not blocked drains and exits', async () => {
  const { clickhouse: password } = await readSecrets(folder)
  const port = await freePort()
  const engine = embeddedClickHouse({ dataDir: folder, port, password, env: inheritedEnv() })
  await startFamily(await engine.plan.launch())
  await answers(engine)
  parent.kill('SIGKILL')
  expect(await waitForExit(childPid!, 5_000)).toBe(true)
})
