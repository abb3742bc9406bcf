/**
 * Readiness and logs of whole processes while each engine in turn is stopped by SIGSTOP, and while
 * it is restarted.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import type { EngineName, ServiceName } from '../../dev/stack-settings.ts'
import { signalTree } from '../faults/process-tree.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

/** The promise is one second. Tests of other files may have the machine at the same time. */
const answerMsMax = 3_000
/** SMTP is noticed last: 20 s without an email, and 10 s without an answer. */
const noticedMsMax = 90_000
const testMs = 240_000
const services = ['ingest', 'workers', 'mailer', 'api'] as const

let running: RunningProduct | undefined
const lines: { source: string; level: string; code: string }[] = []
let frozen: number | undefined

beforeAll(async () => {
  running = await RunningProduct.start({
    report: {
      progress: () => undefined,
      line: note,
      exited: () => undefined,
      broughtBack: () => undefined,
    },
  })
}, 300_000)
afterEach(() => {
  if (frozen !== undefined) signalTree(frozen, 'SIGCONT')
  frozen = undefined
})
afterAll(() => running?.stop())

function note(source: string, line: string): void {
  if (!line.startsWith('{')) return
  const { level, code } = JSON.parse(line)
  if (level !== 'info' || code === 'dependency_back') lines.push({ source, level, code })
}

interface Outage {
  readonly engine: EngineName
  /** The services that depend on it, and whether they are ready without it. */
  readonly ready: Readonly<Partial<Record<ServiceName, boolean>>>
}

const outages: readonly Outage[] = [
  { engine: 'postgres', ready: { ingest: true, workers: false, mailer: false, api: false } },
  { engine: 'nats', ready: { ingest: true, workers: false } },
  { engine: 'clickhouse', ready: { workers: false, api: true } },
  { engine: 'smtp', ready: { mailer: false } },
]

describe.each(outages)('$engine', ({ engine, ready }) => {
  test(
    'is frozen: every process answers at once and says what holds, and recovers',
    async () => {
      const { engines } = product().stack
      await allReady()
      frozen = engines[engine].pid ?? 0
      expect(frozen).toBeGreaterThan(1)
      signalTree(frozen, 'SIGSTOP')
      const names = Object.keys(ready) as ServiceName[]
      await waitUntil(
        `${engine} is reported as away`,
        async () => {
          const answers = await Promise.all(names.map(healthOf))
          return answers.every(({ dependencies }) => dependencies[engine]?.ok === false)
        },
        noticedMsMax,
      )
      for (const service of services) {
        const answer = await healthOf(service)
        expect([service, answer.status]).toEqual([service, (ready[service] ?? true) ? 200 : 503])
        expect(answer.ms).toBeLessThan(answerMsMax)
        const away = Object.entries(answer.dependencies).filter(([, { ok }]) => !ok)
        expect(away.map(([name]) => name)).toEqual(service in ready ? [engine] : [])
        for (const [, { since, reason }] of away) {
          expect(new Date(since).toISOString()).toBe(since)
          expect(reason).toMatch(/^[A-Z].*\.$/)
        }
        expect((await fetch(`${product().stack.urls[service]}/health`)).status).toBe(200)
      }
      signalTree(frozen, 'SIGCONT')
      frozen = undefined
      await allReady()
    },
    testMs,
  )
})

test.each(['postgres', 'nats', 'clickhouse'] as const)(
  'a restart of %s is one line when it goes and one when it is back, in each process',
  async (engine) => {
    await allReady()
    // Consequences of the outage before this one have ended.
    await quietEnd()
    lines.length = 0
    const names = Object.keys(outages.find((each) => each.engine === engine)?.ready ?? {})
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
  testMs,
)

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
  await waitUntil(
    'every process is ready',
    async () => {
      const answers = await Promise.all(services.map(healthOf))
      return answers.every(
        ({ status, dependencies }) =>
          status === 200 && Object.values(dependencies).every(({ ok }) => ok),
      )
    },
    noticedMsMax,
  )
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
