import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { niceness } from './lower-priority.ts'
import { ManagedProcess } from './managed-process.ts'
import type { ProcessPlan } from './process-plan.ts'
import { isAlive, waitForExit } from './process-table.ts'

const started: ManagedProcess[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

test('start waits until the process is ready', async () => {
  const { managed, lines } = manage(
    "setTimeout(() => console.log('ready'), 200); setInterval(() => {}, 1000)",
  )
  await managed.start()
  expect(lines).toContain('ready')
})

test('a process that exits at once fails the start with its last lines', async () => {
  const { managed } = manage("console.error('INGEST_PORT: wrong'); process.exit(1)")
  await expect(managed.start()).rejects.toThrow(/ended before it was ready.*\n.*INGEST_PORT: wrong/)
})

test('a missing program fails the start', async () => {
  const { managed } = manage('', { file: '/nowhere/program' })
  await expect(managed.start()).rejects.toThrow(/ENOENT/)
})

test('a process that exits unexpectedly is restarted', async () => {
  const { managed, events } = manage(steady)
  await managed.start()
  const before = pidOf(managed)
  await managed.crash()
  await managed.ready()
  expect(pidOf(managed)).not.toBe(before)
  expect(events[0]).toBe('exited SIGKILL, again in 250')
})

test('a process that was killed on purpose stays stopped until it is started again', async () => {
  const { managed, events } = manage(steady)
  await managed.start()
  await managed.kill('SIGKILL')
  await sleep(400)
  expect(managed.pid).toBeUndefined()
  expect(events).toEqual([])
  await managed.restart()
  expect(isAlive(pidOf(managed))).toBe(true)
})

test('a process that ignores SIGTERM is killed after its time limit', async () => {
  const { managed } = manage(`process.on('SIGTERM', () => {}); ${steady}`)
  await managed.start()
  const pid = pidOf(managed)
  await managed.stop()
  expect(isAlive(pid)).toBe(false)
})

test('a stop during the restart delay prevents the restart', async () => {
  const { managed } = manage(steady)
  await managed.start()
  const pid = pidOf(managed)
  process.kill(pid, 'SIGKILL')
  await waitForExit(pid, 60_000)
  await managed.stop()
  await sleep(400)
  expect(managed.pid).toBeUndefined()
})

test('a stop between two attempts of a start prevents the next attempt', async () => {
  let launches = 0
  const { managed } = manage('process.exit(1)', {
    beforeLaunch: async () => {
      launches += 1
    },
  })
  const start = expect(managed.start()).rejects.toThrow('was stopped while it started')
  await expect.poll(() => launches === 1 && managed.pid === undefined).toBe(true)
  // Longer than the interval of probes and shorter than the first delay, so the start now waits for
  // its second attempt.
  await sleep(120)
  await managed.stop()
  const launchesBefore = launches
  await start
  expect(launches).toBe(launchesBefore)
})

test('a stop while the launch of a start is prepared prevents the launch', async () => {
  const plan = gate()
  const { managed, pids } = manage(steady, { beforeLaunch: () => plan.promise })
  const start = expect(managed.start()).rejects.toThrow('was stopped while it started')
  await managed.stop()
  plan.resolve()
  await start
  expect(pids).toEqual([])
})

// biome-ignore format: the columns are the point
test.each([
  ['succeeds',  (plan: Gate) => plan.resolve()],
  ['fails',    (plan: Gate) => plan.reject(new Error('no port is free'))],
] as const)('a stop while the launch of a restart is prepared prevents the launch, also when the preparation %s', async (_name, end) => {
  const plan = gate()
  let launches = 0
  const { managed, lines, pids } = manage(steady, {
    beforeLaunch: () => (++launches === 2 ? plan.promise : Promise.resolve()),
  })
  await managed.start()
  await managed.crash()
  await expect.poll(() => launches).toBe(2)
  await managed.stop()
  end(plan)
  await sleep(400)
  expect([launches, pids.length]).toEqual([2, 1])
  expect(lines.join()).not.toContain('could not be started')
})

test('a start after a stop runs one process, even if the stopped run was still waiting', async () => {
  const plan = gate()
  let launches = 0
  const { managed, pids } = manage(steady, {
    beforeLaunch: () => (++launches === 2 ? plan.promise : Promise.resolve()),
  })
  await managed.start()
  await managed.crash()
  await expect.poll(() => launches).toBe(2)
  await managed.stop()
  await managed.start()
  plan.resolve()
  await sleep(50)
  expect(pids).toHaveLength(2)
  expect(managed.pid).toBe(pids[1])
})

test('a process with a lower priority keeps it after a restart', async () => {
  const { managed } = manage(steady, { hasLowerPriority: true })
  await managed.start()
  await managed.crash()
  await managed.ready()
  const pid = pidOf(managed)
  expect(getPriority(pid)).toBeGreaterThanOrEqual(niceness)
  const group = `/proc/${pid}/autogroup`
  if (existsSync(group)) expect(readFileSync(group, 'utf8')).toContain(`nice ${niceness}`)
})

const steady = "console.log('ready'); setInterval(() => {}, 1000)"

/** Manages a Node script, which counts as ready when it has printed `ready`. */
function manage(
  script: string,
  changes: {
    file?: string
    hasLowerPriority?: boolean
    beforeLaunch?: () => Promise<unknown>
  } = {},
) {
  const lines: string[] = []
  const pids: number[] = []
  const events: string[] = []
  const plan: ProcessPlan = {
    name: 'sample',
    launch: async () => {
      await changes.beforeLaunch?.()
      lines.length = 0
      return {
        file: changes.file ?? process.execPath,
        args: ['-e', script],
        env: inheritedEnv(),
        channel: false,
      }
    },
    probe: async () => {
      if (!lines.includes('ready')) throw new Error('not yet')
    },
    readyMsMax: 10_000,
    stopSteps: [{ signal: 'SIGTERM', waitMs: 300 }],
    hasLowerPriority: changes.hasLowerPriority ?? false,
  }
  const managed = new ManagedProcess(plan, {
    line: (_name, line) => lines.push(line),
    started: async (_name, pid) => void pids.push(pid),
    exited: (_name, how, restartMs) => events.push(`exited ${how}, again in ${restartMs}`),
    broughtBack: () => events.push('back'),
  })
  started.push(managed)
  return { managed, lines, events, pids }
}

interface Gate {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

function gate(): Gate {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((pass, fail) => {
    resolve = pass
    reject = fail
  })
  return { promise, resolve, reject }
}

function pidOf(managed: ManagedProcess): number {
  const { pid } = managed
  if (pid === undefined) throw new Error('the process is not running')
  return pid
}
