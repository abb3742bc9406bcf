import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createLogger } from '../logger.ts'
import { Outages } from './outages.ts'
import { type Dependency, Readiness, type ReadinessOptions } from './readiness.ts'

const startMs = Date.parse('2026-11-23T05:00:00.000Z')

type Probe = Dependency['probe']

/** A dependency for each probe, on a clock that the test moves. */
function watch(probes: Record<string, Probe>, options: Partial<ReadinessOptions> = {}) {
  const clock = { ms: 0, nowMs: () => startMs + clock.ms, monotonicMs: () => clock.ms }
  const lines: Record<string, unknown>[] = []
  const outages = new Outages(clock)
  const log = createLogger('test', 'debug', {
    destination: { write: (line) => lines.push(JSON.parse(line)) },
    logMethod: outages.logMethod,
  })
  const readiness = new Readiness({
    dependencies: Object.keys(probes).map((name) => ({
      name,
      title: name,
      effect: 'Work waits.',
      probe: () => probes[name]?.(),
    })),
    outages,
    clock,
    log,
    limitMs: 50,
    intervalMs: 3_600_000,
    ...options,
  })
  return { readiness, probes, clock, lines, log, outages }
}

const coded = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.7:5432`), { code })

test('a dependency has the time of its last change and one reason, and is logged once', async () => {
  const { readiness, probes, clock, lines } = watch({ postgres: () => undefined })
  await readiness.start()
  expect(readiness.report).toEqual({
    status: 'ready',
    dependencies: { postgres: { ok: true, since: '2026-11-23T05:00:00.000Z' } },
  })
  clock.ms = 5_000
  probes['postgres'] = () => Promise.reject(coded('ECONNREFUSED'))
  await readiness.probeAgain()
  clock.ms = 9_000
  probes['postgres'] = () => Promise.reject(coded('57P03'))
  await readiness.probeAgain()
  expect(readiness.report).toEqual({
    status: 'not ready',
    dependencies: {
      postgres: {
        ok: false,
        since: '2026-11-23T05:00:05.000Z',
        reason: 'postgres is starting or shutting down.',
      },
    },
  })
  clock.ms = 12_300
  probes['postgres'] = () => undefined
  await readiness.probeAgain()
  expect(readiness.report).toEqual({
    status: 'ready',
    dependencies: { postgres: { ok: true, since: '2026-11-23T05:00:12.300Z' } },
  })
  readiness.stop()
  expect(lines.map(({ level, code, msg }) => [level, code, msg])).toEqual([
    ['warn', 'dependency_away', 'postgres refuses connections. Work waits.'],
    ['info', 'dependency_back', 'postgres is back after 7.3 s.'],
  ])
})

test.each<[string, Probe, string]>([
  ['never settles', () => new Promise(() => undefined), 'did not answer within 0.05 s.'],
  [
    'throws at once',
    () => {
      throw new TypeError('x is not a function')
    },
    'cannot be used.',
  ],
  ['rejects with nothing', () => Promise.reject(undefined), 'cannot be used.'],
  ['rejects with a string', () => Promise.reject('no'), 'cannot be used.'],
  ['has a code that is no string', () => Promise.reject({ code: 7 }), 'cannot be used.'],
  [
    'is refused at every address',
    () => Promise.reject(new AggregateError([coded('ECONNREFUSED')])),
    'refuses connections.',
  ],
  ['fails at no address', () => Promise.reject(new AggregateError([])), 'cannot be used.'],
  ['names a property of objects', () => Promise.reject(coded('constructor')), 'cannot be used.'],
])(
  'a probe that %s means away, and the reason tells nothing about hosts',
  async (_, probe, end) => {
    const { readiness } = watch({ store: probe, other: () => undefined })
    await readiness.start()
    const { dependencies } = readiness.report
    expect(dependencies['store']).toMatchObject({ ok: false, reason: `store ${end}` })
    expect(dependencies['other']).toMatchObject({ ok: true })
    expect(JSON.stringify(readiness.report)).not.toContain('10.0.0.7')
    readiness.stop()
  },
)

test('a probe that hangs is not called again until it has settled', async () => {
  let calls = 0
  let settle = () => {}
  const { readiness } = watch({
    store: () => {
      calls += 1
      return new Promise((resolve) => {
        settle = () => resolve(undefined)
      })
    },
  })
  await readiness.start()
  await readiness.probeAgain()
  await readiness.probeAgain()
  expect([calls, readiness.isReady]).toEqual([1, false])
  settle()
  await readiness.probeAgain()
  expect(readiness.isReady).toBe(true)
  await readiness.probeAgain()
  expect(calls).toBe(2)
  readiness.stop()
})

test('the process decides which dependencies it needs, and metrics say the same as the reply', async () => {
  const away = () => 'The store is full.'
  const { readiness } = watch(
    { needed: () => undefined, other: away },
    { isReady: (isAvailable) => isAvailable('needed') },
  )
  const registry = new Registry()
  readiness.register(registry)
  await readiness.start()
  expect(readiness.report.status).toBe('ready')
  const text = await registry.metrics()
  expect(text).toContain('sluice_ready 1')
  expect(text).toContain('sluice_dependency_up{dependency="needed"} 1')
  expect(text).toContain('sluice_dependency_up{dependency="other"} 0')
  readiness.stop()
})

test('a loss that follows from another one is logged at debug level', async () => {
  const { readiness, probes, lines, outages } = watch({ postgres: () => 'Postgres is gone.' })
  const derived = watch(
    {},
    {
      outages,
      dependencies: [
        { name: 'partitions', title: 'x', effect: 'y', isDerived: true, probe: () => 'Stuck.' },
      ],
    },
  )
  await readiness.start()
  await derived.readiness.start()
  expect(derived.lines.map(({ level }) => level)).toEqual(['debug'])
  expect(lines.map(({ level }) => level)).toEqual(['warn'])
  probes['postgres'] = () => undefined
  readiness.stop()
  derived.readiness.stop()
})
