/** Each test runs a service in its own process, because it checks signals and exit codes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transformWithOxc } from 'vite'
import { afterEach, expect, test } from 'vitest'
import { projectRoot } from './project-root.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

test('a signal drains the service and exits with 0', async () => {
  const service = await run(`async () => ({ drain: async () => note('drained') })`)
  await service.said('started')
  service.child.kill('SIGTERM')
  expect(await service.end()).toEqual({ code: 0, stderr: '' })
  expect(service.codes()).toEqual(['started', 'draining', 'drained', 'stopped'])
})

test('a signal during the start takes effect after the start', async () => {
  const service = await run(`async () => {
    note('starting')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    return { drain: async () => note('drained') }
  }`)
  await service.said('starting')
  service.child.kill('SIGTERM')
  await service.said('draining')
  service.child.stdin.write('go')
  expect(await service.end()).toEqual({ code: 0, stderr: '' })
  expect(service.codes()).toEqual(['starting', 'draining', 'started', 'drained', 'stopped'])
})

test('a failed start prints one sentence and exits with 1', async () => {
  const service = await run(`async () => { throw new Error('The port is taken.') }`)
  expect(await service.end()).toEqual({ code: 1, stderr: 'sample: The port is taken.\n' })
  expect(service.codes()).toEqual(['start_failed'])
})

test('an uncaught error drains the service and exits with 1', async () => {
  const service = await run(`async () => {
    process.stdin.once('data', () => Promise.reject(new Error('unforeseen')))
    return { drain: async () => note('drained') }
  }`)
  await service.said('started')
  service.child.stdin.write('go')
  expect((await service.end()).code).toBe(1)
  expect(service.codes()).toEqual(['started', 'crashed', 'drained', 'stopped'])
})

test('a second signal exits with 1 immediately', async () => {
  const service = await run(
    `async () => ({ drain: () => new Promise(() => setInterval(() => {}, 1000)) })`,
  )
  await service.said('started')
  service.child.kill('SIGTERM')
  await service.said('draining')
  service.child.kill('SIGTERM')
  expect((await service.end()).code).toBe(1)
})

// biome-ignore format: the columns are the point
test.each([
  ['takes too long',  '() => new Promise(() => setInterval(() => {}, 1000))',  'drain_cut'],
  ['fails',           `async () => { throw new Error('no way') }`,             'drain_failed'],
] as const)('a drain that %s is logged and exits with 1', async (_name, drain, code) => {
  const service = await run(`async () => ({ drain: ${drain} })`, '{ drainMsMax: 100 }')
  await service.said('started')
  service.child.kill('SIGTERM')
  expect((await service.end()).code).toBe(1)
  expect(service.codes()).toEqual(['started', 'draining', code])
})

/** Runs the service that `start` creates. `note` prints a line among the log codes. */
async function run(start: string, options = '{}') {
  const path = join(projectRoot, 'platform/run-service.ts')
  const { code } = await transformWithOxc(await readFile(path, 'utf8'), path)
  const script = `${code}
    const note = (code) => process.stdout.write(code + '\\n')
    const log = Object.fromEntries(
      ['info', 'error', 'fatal'].map((level) => [level, ({ code }) => note(code)]),
    )
    const alive = setInterval(() => {}, 1000)
    await runService('sample', log, ${start}, ${options})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: projectRoot })
  children.push(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const closed = once(child, 'close')
  const codes = () => stdout.split('\n').filter((line) => line !== '')
  return {
    child,
    codes,
    said: (code: string) => expect.poll(codes).toContain(code),
    end: async () => ({ code: (await closed)[0] as number | null, stderr }),
  }
}
