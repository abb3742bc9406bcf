/**
 * Readiness and logs of whole processes while the engines in turn are stopped by SIGSTOP, and while
 * each is restarted.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import type { EngineName, ServiceName } from '../../dev/stack-settings.ts'
import { signalTree } from '../faults/process-tree.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

/** The promise is one second. Tests of other files may have the machine at the same time. */
const answerMsMax = 3_000
const services = ['ingest', 'workers', 'mailer', 'api'] as const

let running: RunningProduct | undefined
/** The detail is only of a line that no test expects: it is what one would look for first. */
const lines: { source: string; level: string; code: string; detail?: unknown }[] = []
/** Process ids of the engines that are stopped now. */
const frozen: number[] = []

beforeAll(async () => {
  running = await RunningProduct.start({
    report: {
      progress: () => undefined,
      line: note,
      exited: () => undefined,
      broughtBack: () => undefined,
    },
  })
})
afterEach(thaw)
afterAll(() => running?.stop())

function note(source: string, line: string): void {
  if (!line.startsWith('{')) return
  const { level, code, detail, err } = JSON.parse(line)
  if (level === 'info' && code !== 'dependency_back') return
  const isExpected = code === 'dependency_away' || code === 'dependency_back'
  lines.push({ source, level, code, ...(isExpected ? {} : { detail: detail ?? err }) })
}

/** The services that depend on an engine, and whether they are ready without it. */
type Dependents = Readonly<Partial<Record<ServiceName, boolean>>>

const dependents: Readonly<Record<EngineName, Dependents>> = {
  postgres: { ingest: true, workers: false, mailer: false, api: false },
  nats: { ingest: true, workers: false },
  clickhouse: { workers: false, api: true },
  smtp: { mailer: false },
}

/** An engine that only the mailer needs is frozen beside one that it does not need. */
const outages: readonly { readonly away: readonly EngineName[] }[] = [
  { away: ['postgres'] },
  { away: ['nats'] },
  { away: ['clickhouse', 'smtp'] },
]

test.each(outages)(
  '$away frozen: every process answers at once and says what holds, and recovers',
  async ({ away }) => {
    await allReady()
    for (const engine of away) freeze(engine)
    await Promise.all(away.map(isNoticed))
    for (const service of services) {
      const answer = await healthOf(service)
      const isReady = away.every((engine) => dependents[engine][service] ?? true)
      expect([service, answer.status]).toEqual([service, isReady ? 200 : 503])
      expect(answer.ms).toBeLessThan(answerMsMax)
      const failed = Object.entries(answer.dependencies).filter(([, { ok }]) => !ok)
      expect(failed.map(([name]) => name)).toEqual(
        away.filter((engine) => service in dependents[engine]),
      )
      for (const [, { since, reason }] of failed) {
        expect(new Date(since).toISOString()).toBe(since)
        expect(reason).toMatch(/^[A-Z].*\.$/)
      }
      expect((await fetch(`${product().stack.urls[service]}/health`)).status).toBe(200)
    }
    thaw()
    await allReady()
  },
)

describe('A restart', () => {
  beforeAll(async () => {
    await allReady()
    // Consequences of the outages before have ended.
    await quietEnd()
  })

  test.each(['postgres', 'nats', 'clickhouse'] as const)(
    'of %s is one line when it goes and one when it is back, in each process',
    async (engine) => {
      await allReady()
      lines.length = 0
      const names = Object.keys(dependents[engine])
      const { engines } = product().stack
      await engines[engine].kill('SIGKILL')
      await waitUntil(`every process has noticed`, async () =>
        names.every((name) => lines.some((line) => line.source === name)),
      )
      await engines[engine].start()
      await allReady()
      await quietEnd()
      const ours = lines.filter(({ source }) => services.some((name) => name === source))
      const expected = names.flatMap((source) => [
        { source, level: 'warn', code: 'dependency_away' },
        { source, level: 'info', code: 'dependency_back' },
      ])
      const sorted = (of: typeof lines) => of.map((line) => JSON.stringify(line)).sort()
      expect(sorted(ours)).toEqual(sorted(expected))
    },
  )
})

function freeze(engine: EngineName): void {
  const pid = product().stack.engines[engine].pid ?? 0
  expect(pid).toBeGreaterThan(1)
  frozen.push(pid)
  signalTree(pid, 'SIGSTOP')
}

function thaw(): void {
  for (const pid of frozen.splice(0)) signalTree(pid, 'SIGCONT')
}

/** Every service that depends on the engine reports it as away. */
function isNoticed(engine: EngineName): Promise<true> {
  const names = Object.keys(dependents[engine]) as ServiceName[]
  return waitUntil(`${engine} is reported as away`, async () => {
    const answers = await Promise.all(names.map(healthOf))
    return answers.every(({ dependencies }) => dependencies[engine]?.ok === false)
  })
}

function product(): RunningProduct {
  if (running === undefined) throw new Error('the product has not started')
  return running
}

/** Work that an outage cut off fails up to some seconds later. */
async function quietEnd(): Promise<void> {
  const endMs = systemClock.monotonicMs() + 6_000
  await waitUntil('late failures', async () => endMs < systemClock.monotonicMs())
}

async function allReady(): Promise<void> {
  await waitUntil('every process is ready', async () => {
    const answers = await Promise.all(services.map(healthOf))
    return answers.every(
      ({ status, dependencies }) =>
        status === 200 && Object.values(dependencies).every(({ ok }) => ok),
    )
  })
}

interface Health {
  readonly status: number
  readonly ms: number
  readonly dependencies: Readonly<Record<string, { ok: boolean; since: string; reason?: string }>>
}

/** Over the operations port, which has no rate limit. */
async function healthOf(service: ServiceName): Promise<Health> {
  const url = new URL('/health/ready', product().stack.demo.metricsUrls[service])
  const startedMs = systemClock.monotonicMs()
  const reply = await fetch(url)
  const { dependencies } = (await reply.json()) as Pick<Health, 'dependencies'>
  return { status: reply.status, ms: systemClock.monotonicMs() - startedMs, dependencies }
}
