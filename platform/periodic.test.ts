import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Logger } from './logger.ts'
import { formatInterval, type PeriodicTaskOptions, PeriodicTasks } from './periodic.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

function group(options: { drainMsMax?: number } = {}) {
  const lines: { level: string; code: string; task?: string; text: string }[] = []
  const write = (level: string) => (fields: { code: string; task?: string }, text: string) => {
    lines.push({ level, code: fields.code, ...(fields.task ? { task: fields.task } : {}), text })
  }
  const fatal: unknown[] = []
  const registry = new Registry()
  const another = () =>
    new PeriodicTasks({
      clock: { nowMs: () => Date.now(), monotonicMs: () => Date.now() },
      log: { warn: write('warn'), debug: write('debug') } as unknown as Logger,
      registry,
      onFatal: (error) => fatal.push(error),
      ...options,
    })
  const lastSuccess = async () => {
    const metric = await registry.getSingleMetric('sluice_periodic_last_success_seconds')?.get()
    return Object.fromEntries(
      metric?.values.map(({ labels, value }) => [labels['task'], value]) ?? [],
    )
  }
  return { tasks: another(), another, lines, fatal, lastSuccess }
}

function task(run: PeriodicTaskOptions['run'], more: Partial<PeriodicTaskOptions> = {}) {
  return {
    name: 'stream_maintenance',
    intervalMs: 5_000,
    run,
    failure: { code: 'care_failed', text: 'Stream maintenance failed' },
    ...more,
  } satisfies PeriodicTaskOptions
}

/** A run that ends when the test releases it. */
function heldRun() {
  const ends: (() => void)[] = []
  return { ends, run: () => new Promise<void>((resolve) => ends.push(resolve)) }
}

describe('The first run', () => {
  test.each([
    ['begins after one interval by default', undefined, 0],
    ['begins after one interval', 'after_interval', 0],
    ['begins at once', 'now', 1],
  ] as const)('%s', async (_name, first, before) => {
    const { tasks } = group()
    let runs = 0
    const count = () => {
      runs += 1
    }
    tasks.start(task(count, first === undefined ? {} : { first }))
    await vi.advanceTimersByTimeAsync(4_999)
    expect(runs).toBe(before)
    await vi.advanceTimersByTimeAsync(1)
    expect(runs).toBe(before + 1)
  })
})

describe('A running task', () => {
  test('is not started again, and its interval begins when the run has ended', async () => {
    const { tasks } = group()
    const { ends, run } = heldRun()
    tasks.start(task(run))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(4_999)
    expect(ends).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toHaveLength(2)
  })

  test('is followed by one more run for all requests made meanwhile, and the interval begins again', async () => {
    const { tasks } = group()
    const { ends, run } = heldRun()
    const started = tasks.start(task(run))
    await vi.advanceTimersByTimeAsync(4_000)
    const first = started.run()
    const second = started.run()
    expect(started.run()).toBe(second)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await first
    await vi.advanceTimersByTimeAsync(0)
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await second
    await vi.advanceTimersByTimeAsync(4_999)
    expect(ends).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toHaveLength(3)
  })
})

describe('A failed run', () => {
  test.each([
    ['rejects', async () => Promise.reject(new Error('no answer'))],
    [
      'throws synchronously',
      () => {
        throw new Error('no answer')
      },
    ],
    ['rejects without an error', async () => Promise.reject(undefined)],
  ] as const)('that %s is logged, and the next one succeeds', async (_name, fail) => {
    const { tasks, lines, lastSuccess } = group()
    let runs = 0
    tasks.start(task(() => (++runs === 1 ? fail() : undefined)))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(lines).toEqual([
      {
        level: 'warn',
        code: 'care_failed',
        task: 'stream_maintenance',
        text: 'Stream maintenance failed; retrying in 5 s.',
      },
    ])
    expect(await lastSuccess()).toEqual({ stream_maintenance: 0 })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(runs).toBe(2)
    expect(lines).toHaveLength(1)
    expect(await lastSuccess()).toEqual({ stream_maintenance: 1_010 })
  })

  test('is logged at the level of the task', async () => {
    const { tasks, lines } = group()
    const failure = {
      code: 'key_usage_not_written',
      text: 'Writing key usage failed',
      level: 'debug',
    } as const
    tasks.start(task(() => Promise.reject(new Error('no answer')), { failure }))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(lines).toMatchObject([{ level: 'debug', code: 'key_usage_not_written' }])
  })

  test('with a fatal error ends the task without a log line and without a retry', async () => {
    const { tasks, lines, fatal } = group()
    let runs = 0
    const error = new Error('another installation')
    const run = () => {
      runs += 1
      throw error
    }
    tasks.start(task(run, { isFatal: (thrown) => thrown === error }))
    await vi.advanceTimersByTimeAsync(20_000)
    expect([runs, fatal, lines]).toEqual([1, [error], []])
    await tasks.stop()
  })
})

describe('Stopping', () => {
  test('during the wait ends the task at once', async () => {
    const { tasks } = group()
    let runs = 0
    const started = tasks.start(
      task(() => {
        runs += 1
      }),
    )
    await vi.advanceTimersByTimeAsync(4_000)
    await tasks.stop()
    await vi.advanceTimersByTimeAsync(60_000)
    await started.run()
    expect(runs).toBe(0)
  })

  test('during a run aborts its signal, waits for it, and starts no other', async () => {
    const { tasks, lines } = group()
    const { ends, run } = heldRun()
    let isAborted = false
    tasks.start(
      task((signal) => {
        signal.addEventListener('abort', () => (isAborted = true))
        return run()
      }),
    )
    await vi.advanceTimersByTimeAsync(5_000)
    let isStopped = false
    const stop = tasks.stop().then(() => (isStopped = true))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([isAborted, isStopped]).toEqual([true, false])
    ends[0]?.()
    await stop
    await vi.advanceTimersByTimeAsync(60_000)
    expect([ends.length, lines]).toEqual([1, []])
  })

  test('during a run drops the requested next run', async () => {
    const { tasks } = group()
    const { ends, run } = heldRun()
    const started = tasks.start(task(run, { first: 'now' }))
    const following = started.run()
    const stop = tasks.stop()
    ends[0]?.()
    await Promise.all([stop, following])
    expect(ends).toHaveLength(1)
  })

  test('waits for a run at most as long as the limit, and names the task in the log', async () => {
    const { tasks, lines } = group({ drainMsMax: 3_000 })
    tasks.start(task(heldRun().run))
    tasks.start(task(() => undefined, { name: 'outbox' }))
    await vi.advanceTimersByTimeAsync(5_000)
    const stop = tasks.stop()
    await vi.advanceTimersByTimeAsync(3_000)
    await stop
    expect(lines).toEqual([
      {
        level: 'warn',
        code: 'periodic_drain_cut',
        text: 'Periodic tasks did not end within 3 s and are abandoned.',
      },
    ])
  })

  test('the log line of a run that fails while the process ends announces no retry', async () => {
    const { tasks, lines } = group()
    let fail: (error: Error) => void = () => undefined
    tasks.start(task(() => new Promise((_, reject) => (fail = reject)), { first: 'now' }))
    const stop = tasks.stop()
    fail(new Error('closed'))
    await stop
    expect(lines).toMatchObject([{ text: 'Stream maintenance failed; the process is ending.' }])
  })
})

test('each task reports its own time of the last success, in one metric per registry', async () => {
  const { tasks, lastSuccess, another } = group()
  tasks.start(task(() => undefined))
  another().start(task(() => undefined, { name: 'outbox', intervalMs: 1_000 }))
  await vi.advanceTimersByTimeAsync(7_000)
  expect(await lastSuccess()).toEqual({ stream_maintenance: 1_005, outbox: 1_007 })
})

test('two tasks with the same name are an error', () => {
  const { tasks } = group()
  tasks.start(task(() => undefined))
  expect(() => tasks.start(task(() => undefined))).toThrow('stream_maintenance')
})

test.each([
  [20, '0.02 s'],
  [500, '0.5 s'],
  [5_000, '5 s'],
  [90_000, '90 s'],
  [900_000, '15 min'],
  [3_600_000, '1 h'],
  [7_200_000, '2 h'],
])('an interval of %i ms is formatted as %s', (ms, text) => {
  expect(formatInterval(ms)).toBe(text)
})
