import { expect, test } from 'vitest'
import { createLogger } from '../logger.ts'
import { mayFollowOutage, Outages } from './outages.ts'

function logged() {
  const clock = { ms: 0, monotonicMs: () => clock.ms }
  const lines: string[] = []
  const outages = new Outages(clock)
  const log = createLogger('test', 'info', {
    destination: {
      write: (line) => {
        const { level, msg } = JSON.parse(line)
        lines.push(`${level} ${msg}`)
      },
    },
    logMethod: outages.logMethod,
  })
  return { clock, lines, outages, log }
}

const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('while a dependency is away, only lines about other things are written', () => {
  const { log, lines, outages } = logged()
  outages.begin('postgres')
  log.warn({ err: refused }, 'a query failed')
  log.error({ err: new Error('x', { cause: refused }) }, 'a request failed')
  log.warn({ code: 'x', ...mayFollowOutage }, 'a listener was lost')
  log.info({ ...mayFollowOutage }, 'a listener is back')
  log.error(refused, 'the error itself')
  log.fatal({ err: refused }, 'the process ends')
  log.warn({ err: new TypeError('x is undefined') }, 'a defect')
  log.warn('text only')
  log.warn(null, 'nothing')
  expect(lines).toEqual([
    'fatal the process ends',
    'warn a defect',
    'warn text only',
    'warn nothing',
  ])
  expect(outages.demotedCount).toBe(5)
})

test('the mark is not part of the line', () => {
  expect(JSON.stringify({ code: 'x', ...mayFollowOutage })).toBe('{"code":"x"}')
})

test('work that was cut off fails a little later than the outage ends', () => {
  const { log, lines, outages, clock } = logged()
  outages.begin('postgres')
  outages.begin('nats')
  outages.end('postgres')
  clock.ms = 60_000
  log.warn({ err: refused }, 'nats is still away')
  outages.end('nats')
  clock.ms += 9_000
  log.warn({ err: refused }, 'late')
  clock.ms += 2_000
  log.warn({ err: refused }, 'much later')
  outages.end('never began')
  log.warn({ err: refused }, 'after an end without a beginning')
  expect(lines).toEqual(['warn much later', 'warn after an end without a beginning'])
})

test('a line that comes before the outage is known is held until the probes have ended', async () => {
  const { log, lines, outages } = logged()
  let settle = () => {}
  outages.holdUntil(
    () =>
      new Promise((resolve) => {
        settle = resolve
      }),
  )
  log.warn({ err: refused }, 'first')
  log.info({ ...mayFollowOutage }, 'information is not held')
  expect(lines).toEqual(['info information is not held'])
  outages.begin('postgres')
  settle()
  await turn()
  expect(lines).toHaveLength(1)
  expect(outages.demotedCount).toBe(1)
})

test('a line whose outage is not confirmed is written as it was, also if the probes fail', async () => {
  for (const confirm of [() => Promise.resolve(), () => Promise.reject(new Error('x'))]) {
    const { log, lines, outages } = logged()
    outages.holdUntil(confirm)
    log.error({ err: refused }, 'first')
    log.warn({ err: refused }, 'second')
    await turn()
    expect(lines).toEqual(['error first', 'warn second'])
    expect(outages.demotedCount).toBe(0)
  }
})

test('held lines are bounded, and none is lost when the process drains', () => {
  const { log, lines, outages } = logged()
  outages.holdUntil(() => new Promise(() => undefined))
  for (let count = 0; count < 1_000; count += 1) log.warn({ err: refused }, `line ${count}`)
  expect(lines).toEqual([])
  outages.stopHolding()
  expect(lines).toHaveLength(200)
  expect(outages.demotedCount).toBe(800)
  log.warn({ err: refused }, 'while draining')
  expect(lines.at(-1)).toBe('warn while draining')
})
