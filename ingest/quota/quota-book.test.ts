import { beforeEach, describe, expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { MemoryQuotaStore } from '../../test/fixtures/ingest/memory-quota-store.ts'
import { QuotaBook } from './quota-book.ts'
import { overKeyLimit, overQuota, overSpikeLimit, quotaUnavailable } from './refusal.ts'

const projectId = 42 as ProjectId
const keyNo = 1 as DsnKeyNo
const payer = { projectId, keyNo }
const november = '2026-11-01'
const startMs = Date.UTC(2026, 10, 21, 12, 0, 0)

let store: MemoryQuotaStore
let book: QuotaBook
let elapsedMs: number
const clock = { nowMs: () => startMs + elapsedMs, monotonicMs: () => elapsedMs }

beforeEach(() => {
  elapsedMs = 0
  store = new MemoryQuotaStore()
  store.projects.set(projectId, { monthlyEvents: 1000 })
  book = new QuotaBook({ clock, store, instanceId: 'a' })
})

/** Waits until requests are answered. */
async function turn(): Promise<void> {
  for (let hop = 0; hop < 20; hop += 1) await Promise.resolve()
}

async function pass(ms: number): Promise<void> {
  for (const endMs = elapsedMs + ms; elapsedMs < endMs; ) {
    elapsedMs = Math.min(endMs, elapsedMs + 100)
    book.tick()
    await turn()
  }
}

/** Charges like intake: waits if necessary, then charges events one by one. */
function take(count: number, by = payer) {
  return book.whenReady(by, count, () => chargeNow(count, by))
}

function chargeNow(count: number, by = payer) {
  const charges = Array.from({ length: count }, () => book.charge(by, clock.nowMs()))
  const refused = charges.filter((charge) => typeof charge !== 'number')
  return { taken: count - refused.length, refusal: refused[0] }
}

describe('a lease', () => {
  test('is waited for once and then charged without waiting', async () => {
    expect(book.isReady(payer, 1, clock.nowMs())).toBe(false)
    expect(await take(1)).toEqual({ taken: 1, refusal: undefined })
    expect(book.isReady(payer, 5, clock.nowMs())).toBe(true)
    expect(chargeNow(5).taken).toBe(5)
    expect(store.grantCalls).toBe(1)
  })

  test('is renewed before it ends', async () => {
    await take(12)
    expect(store.grantCalls).toBe(1)
    chargeNow(1)
    await turn()
    expect(store.grantCalls).toBe(2)
    expect(book.isReady(payer, 20, clock.nowMs())).toBe(true)
  })

  test('grows with the rate to about the events of one second', async () => {
    store.projects.set(projectId, {})
    for (let round = 0; round < 40; round += 1) {
      await take(500)
      await pass(100)
    }
    const units = store.leases.map((lease) => lease.units)
    expect(Math.max(...units)).toBeLessThan(12_000)
    expect(units.at(-1)).toBeGreaterThan(3_000)
    expect(store.grantCalls).toBeLessThan(20)
  })

  test('is returned after a second without a charge', async () => {
    await take(3)
    expect(store.used(projectId, november)).toBe(16)
    await pass(900)
    expect(store.used(projectId, november)).toBe(16)
    await pass(300)
    expect(store.used(projectId, november)).toBe(3)
    expect(store.leases.map((lease) => lease.state)).toEqual(['closed'])
  })

  test('is replaced after four seconds, even if it is used slowly', async () => {
    for (let second = 0; second < 6; second += 1) {
      await take(1)
      await pass(900)
    }
    expect(store.leases.length).toBe(2)
    expect(store.leases[0]!.state).toBe('closed')
  })

  test('of an ended month is returned, and the new month gets its own', async () => {
    await take(10)
    elapsedMs = Date.UTC(2026, 11, 1) - startMs - 1
    expect(chargeNow(1).taken).toBe(1)
    elapsedMs += 1
    expect(book.isReady(payer, 1, clock.nowMs())).toBe(false)
    await take(2)
    await pass(100)
    expect(store.used(projectId, november)).toBe(11)
    expect(store.used(projectId, '2026-12-01')).toBeGreaterThanOrEqual(2)
    await book.drain()
    expect(store.used(projectId, '2026-12-01')).toBe(2)
  })

  test('is granted in a new month to a project that had used up the last one', async () => {
    store.projects.set(projectId, { monthlyEvents: 1 })
    expect(await take(2)).toEqual({ taken: 1, refusal: overQuota })
    elapsedMs = Date.UTC(2026, 11, 1) - startMs
    expect(await take(2)).toEqual({ taken: 1, refusal: overQuota })
  })

  test('that was requested in the old month and arrives in the new one is returned unused', async () => {
    elapsedMs = Date.UTC(2026, 11, 1) - startMs - 1
    const waiting = book.whenReady(payer, 1, (end) => end)
    // The statement is in flight now.
    await Promise.resolve()
    elapsedMs += 1
    book.tick()
    expect(await waiting).toBe('ready')
    expect(chargeNow(1).taken).toBe(1)
    await book.drain()
    expect(store.leases.map(({ period, units }) => [period, units])).toEqual([
      [november, 0],
      ['2026-12-01', 1],
    ])
  })
})

describe('a lease of a project that is far from its limit', () => {
  let hears: boolean
  beforeEach(() => {
    hears = true
    store.projects.set(projectId, { monthlyEvents: 10_000 })
    book = new QuotaBook({ clock, store, instanceId: 'a', hearsChanges: () => hears })
    store.onLimitChange = (id) => book.limitChanged(id)
  })

  /** One event every three seconds. */
  async function takeSlowly(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 3) {
      await take(1)
      await pass(3_000)
    }
  }

  test('is kept while events are rare, and returned after ten seconds without one', async () => {
    await takeSlowly(30)
    expect(store.grantCalls).toBe(1)
    expect(store.leases.map((lease) => lease.state)).toEqual(['open'])
    await pass(8_000)
    expect(store.used(projectId, november)).toBe(10)
    expect(store.leases.map((lease) => lease.state)).toEqual(['closed'])
  })

  test('is replaced after a minute', async () => {
    await takeSlowly(33)
    expect(store.grantCalls).toBe(1)
    await takeSlowly(33)
    expect(store.grantCalls).toBe(2)
  })

  test('also without a limit', async () => {
    store.projects.set(projectId, {})
    await takeSlowly(30)
    expect(store.grantCalls).toBe(1)
  })

  test('lasts for half a minute from the second one on', async () => {
    for (let round = 0; round < 40; round += 1) {
      await take(2)
      await pass(1_000)
    }
    expect(store.leases.map(({ units }) => units)).toEqual([16, 70, 59])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['its limit was changed           ', () => book.limitChanged(projectId)],
    ['notifications may have been lost', () => book.limitsMayHaveChanged()],
    ['changes are not heard any more  ', () => { hears = false }],
  ] as const)('is returned soon if %s', async (_name, change) => {
    await take(1)
    await pass(2_000)
    change()
    await pass(100)
    expect(store.leases.map((lease) => lease.state)).toEqual(['closed'])
    expect(store.used(projectId, november)).toBe(1)
  })

  test('has the new limit within five seconds of a change', async () => {
    await takeSlowly(30)
    store.projects.set(projectId, { monthlyEvents: 5 })
    book.limitChanged(projectId)
    await pass(5_000)
    expect(await take(1)).toEqual({ taken: 0, refusal: overQuota })
  })

  test('is not kept if the limit changed while the grant was in flight', async () => {
    let answer = () => {}
    store.delay = () => new Promise((resolve) => (answer = resolve))
    const taking = take(1)
    await turn()
    book.limitChanged(projectId)
    store.delay = undefined
    answer()
    await taking
    await pass(1_200)
    expect(store.leases.map((lease) => lease.state)).toEqual(['closed'])
  })

  test('is returned when another process comes close to the limit', async () => {
    await take(1)
    await pass(2_000)
    const other = new QuotaBook({ clock, store, instanceId: 'b' })
    await other.whenReady(payer, 9_970, () => {
      for (let count = 0; count < 9_970; count += 1) other.charge(payer, clock.nowMs())
    })
    expect(store.openLeases('a')).toBe(1)
    await pass(100)
    expect(store.openLeases('a')).toBe(0)
  })
})

describe('the limit of a month', () => {
  test('is used exactly, and the remaining events of an envelope are refused', async () => {
    store.projects.set(projectId, { monthlyEvents: 30 })
    expect(await take(20)).toEqual({ taken: 20, refusal: undefined })
    expect(await take(20)).toEqual({ taken: 10, refusal: overQuota })
    expect(await take(1)).toEqual({ taken: 0, refusal: overQuota })
    expect(store.used(projectId, november)).toBe(30)
  })

  test('that is raised takes effect within about a second, with one request per second', async () => {
    store.projects.set(projectId, { monthlyEvents: 1 })
    await take(2)
    const { grantCalls } = store
    for (let tenth = 0; tenth < 30; tenth += 1) {
      chargeNow(3)
      await pass(100)
    }
    expect(store.grantCalls - grantCalls).toBeLessThanOrEqual(3)
    store.projects.set(projectId, { monthlyEvents: 3 })
    chargeNow(1)
    await pass(1_100)
    expect(await take(3)).toEqual({ taken: 2, refusal: overQuota })
  })

  test('is respected by many small concurrent requests', async () => {
    store.projects.set(projectId, { monthlyEvents: 100 })
    const results = await Promise.all(Array.from({ length: 60 }, () => take(3)))
    expect(results.reduce((sum, { taken }) => sum + taken, 0)).toBe(100)
    expect(book.waiterCount).toBe(0)
  })

  test('is respected by requests that were not counted in the pending request', async () => {
    store.projects.set(projectId, { monthlyEvents: 100 })
    await take(12)
    let answer: (() => void) | undefined
    store.delay = () => new Promise((resolve) => (answer = resolve))
    chargeNow(1)
    await turn()
    store.delay = undefined
    const waiting = Array.from({ length: 200 }, () => take(1))
    answer?.()
    const results = await Promise.all(waiting)
    expect(results.filter(({ taken }) => taken === 1)).toHaveLength(87)
    expect(results.every(({ refusal }) => [undefined, overQuota].includes(refusal))).toBe(true)
    expect(book.eventsUnleased).toBe(0)
  })

  test('that is lowered applies to leased units within five seconds', async () => {
    store.projects.set(projectId, {})
    for (let tenth = 0; tenth < 20; tenth += 1) {
      await take(100)
      await pass(100)
    }
    store.projects.set(projectId, { monthlyEvents: 10 })
    for (let second = 0; second < 10; second += 1) {
      chargeNow(1)
      await pass(500)
    }
    expect(chargeNow(1).refusal).toBe(overQuota)
  })

  test('asks clients to wait until the month ends, but at most a minute', () => {
    const retry = (nowMs: number) => book.retryAfterSeconds(overQuota, nowMs)
    expect(retry(startMs)).toBe(60)
    expect(retry(Date.UTC(2026, 11, 1) - 59_001)).toBe(60)
    expect(retry(Date.UTC(2026, 11, 1) - 59_000)).toBe(59)
    expect(retry(Date.UTC(2026, 11, 1) - 1)).toBe(1)
    expect(book.retryAfterSeconds(overSpikeLimit, startMs + 10_000)).toBe(50)
    expect(book.retryAfterSeconds(quotaUnavailable, startMs)).toBe(5)
  })
})

describe('while the store is unavailable', () => {
  test('leased units are used first, then an allowance of one percent of the limit', async () => {
    await take(1)
    store.fails = 'before'
    expect(chargeNow(15).taken).toBe(15)
    await pass(1_500)
    expect(await take(20)).toEqual({ taken: 10, refusal: quotaUnavailable })
    expect(book.eventsUnleased).toBe(10)
    expect(store.used(projectId, november)).toBe(16)
    store.fails = undefined
    await pass(1_100)
    expect(await take(5)).toEqual({ taken: 5, refusal: undefined })
    store.fails = 'before'
    await take(100)
    await pass(100)
    // One allowance per month is the most by which a project can exceed its limit.
    expect(book.eventsUnleased).toBe(10)
  })

  test('leased units are kept, even without charges', async () => {
    await take(1)
    store.fails = 'before'
    chargeNow(12)
    await pass(5_000)
    expect(chargeNow(3).taken).toBe(3)
    expect(book.eventsUnleased).toBe(0)
  })

  test('a project without a limit continues', async () => {
    store.projects.set(projectId, {})
    await take(1)
    store.fails = 'before'
    await pass(100)
    chargeNow(15)
    await turn()
    expect((await take(5_000)).taken).toBe(5_000)
  })

  test('a grant whose answer was lost is repeated, not granted twice', async () => {
    store.fails = 'after'
    expect(await take(1)).toEqual({ taken: 1, refusal: undefined })
    expect(book.eventsUnleased).toBe(1)
    expect(store.used(projectId, november)).toBe(16)
    store.fails = undefined
    await pass(1_000)
    expect(store.used(projectId, november)).toBe(16)
    await pass(2_000)
    expect(store.used(projectId, november)).toBe(0)
    expect(store.leases).toHaveLength(1)
  })

  test.each(['before', 'after'] as const)(
    'a return that failed %s it was done is made, and made once',
    async (fails) => {
      await take(3)
      await pass(900)
      store.fails = fails
      await pass(500)
      store.fails = undefined
      await pass(2_000)
      expect(store.used(projectId, november)).toBe(3)
    },
  )

  test('only the first requests wait two seconds for a missing answer', async () => {
    const answers: (() => void)[] = []
    const grant = store.grant.bind(store)
    store.grant = async (instanceId, requests) => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return grant(instanceId, requests)
    }
    const waiting = take(1)
    await pass(1_900)
    expect(book.waiterCount).toBe(1)
    await pass(200)
    expect(await waiting).toEqual({ taken: 1, refusal: undefined })
    expect(book.isReady(payer, 1, clock.nowMs())).toBe(true)
    expect(book.eventsUnleased).toBe(1)
    for (const answer of answers) answer()
    await turn()
    expect(chargeNow(3).taken).toBe(3)
    expect(book.eventsUnleased).toBe(1)
  })

  test('events over the limit are refused as soon as the limit is known', async () => {
    store.projects.set(projectId, { monthlyEvents: 100 })
    await take(1)
    store.fails = 'before'
    chargeNow(15)
    await pass(100)
    expect((await take(1)).taken).toBe(1)
    store.commitUnleased(projectId, november, 84)
    store.fails = undefined
    await pass(1_100)
    expect((await take(1)).refusal).toBe(overQuota)
  })
})

describe('the limits of a minute', () => {
  const otherKey = { projectId, keyNo: 2 as DsnKeyNo }

  test('apply to all keys of a project and end with the minute', async () => {
    store.projects.set(projectId, { eventsPerMinute: 10 })
    await take(1)
    expect(await take(6)).toEqual({ taken: 6, refusal: undefined })
    const rest = await take(6, otherKey)
    expect(rest).toEqual({ taken: 3, refusal: overSpikeLimit })
    await pass(60_000)
    expect((await take(9)).taken).toBe(9)
  })

  test('apply to one key and not to the others', async () => {
    store.projects.set(projectId, { keyEventsPerMinute: new Map([[keyNo, 5]]) })
    await take(1, otherKey)
    expect(await take(7)).toEqual({ taken: 5, refusal: overKeyLimit })
    expect((await take(50, otherKey)).taken).toBe(50)
  })

  test('charge no unit of the month when they refuse', async () => {
    store.projects.set(projectId, { eventsPerMinute: 5, monthlyEvents: 1000 })
    await take(1)
    await take(50)
    await book.drain()
    expect(store.used(projectId, november)).toBe(5)
  })

  test('that are raised or removed take effect while they refuse', async () => {
    store.projects.set(projectId, { eventsPerMinute: 5 })
    await take(1)
    expect((await take(9)).taken).toBe(4)
    store.projects.set(projectId, { eventsPerMinute: 8 })
    chargeNow(1)
    await pass(1_200)
    expect((await take(9)).taken).toBe(3)
    store.projects.set(projectId, {})
    chargeNow(1)
    await pass(1_200)
    expect((await take(90)).taken).toBe(90)
  })

  test('that are set take effect within five seconds', async () => {
    for (let second = 0; second < 6; second += 1) {
      if (second === 1) store.projects.set(projectId, { eventsPerMinute: 4 })
      await take(1)
      await pass(900)
    }
    expect((await take(20)).refusal).toBe(overSpikeLimit)
  })

  test('are applied by each process separately while the store is unavailable', async () => {
    store.projects.set(projectId, { eventsPerMinute: 10 })
    await take(1)
    await take(1)
    store.fails = 'before'
    await pass(60_000)
    expect((await take(50)).taken).toBe(10)
  })
})

test('a drain returns unused units and waits for pending requests', async () => {
  await take(12)
  chargeNow(1)
  await book.drain()
  expect(store.used(projectId, november)).toBe(13)
})

test('projects that sent nothing for a long time are evicted', async () => {
  await take(1)
  await pass(700_000)
  expect(book.accountCount).toBe(0)
})
