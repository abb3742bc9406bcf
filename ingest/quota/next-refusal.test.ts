/**
 * The refusal of a payer's next event, without charging: success replies also tell clients of a
 * limit.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { MemoryQuotaStore } from '../../test/fixtures/ingest/memory-quota-store.ts'
import { QuotaBook } from './quota-book.ts'
import { overQuota, overSpikeLimit, type Refusal } from './refusal.ts'

const projectId = 42 as ProjectId
const payer = { projectId, keyNo: 1 as DsnKeyNo }
const startMs = Date.UTC(2026, 10, 21, 12, 0, 0)

let store: MemoryQuotaStore
let book: QuotaBook
let elapsedMs: number
const clock = { nowMs: () => startMs + elapsedMs, monotonicMs: () => elapsedMs }

beforeEach(() => {
  elapsedMs = 0
  store = new MemoryQuotaStore()
  store.projects.set(projectId, {})
  book = new QuotaBook({ clock, store, instanceId: 'a' })
})

async function pass(ms: number): Promise<void> {
  for (const endMs = elapsedMs + ms; elapsedMs < endMs; ) {
    elapsedMs = Math.min(endMs, elapsedMs + 100)
    book.tick()
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve()
  }
}

/** Charges like intake: waits if necessary, then charges events one by one. */
function take(count: number): Promise<(number | Refusal)[]> {
  return book.whenReady(payer, count, () => {
    return Array.from({ length: count }, () => book.charge(payer, clock.nowMs()))
  })
}

describe('the refusal of the next event', () => {
  const next = () => book.refusalOf(payer, clock.nowMs())

  test('is undefined while no event was refused, and makes no request', () => {
    expect(next()).toBeUndefined()
    expect({ calls: store.grantCalls, accounts: book.accountCount }).toEqual({
      calls: 0,
      accounts: 0,
    })
  })

  test('is undefined while units are left, and the limit when none is left', async () => {
    store.projects.set(projectId, { monthlyEvents: 2 })
    await take(1)
    expect(next()).toBeUndefined()
    await take(2)
    expect(next()).toBe(overQuota)
    expect(await take(1)).toEqual([overQuota])
  })

  test('requests units again, so that a raised limit is noticed without an event', async () => {
    store.projects.set(projectId, { monthlyEvents: 0 })
    await take(1)
    store.projects.set(projectId, { monthlyEvents: 5 })
    expect(next()).toBe(overQuota)
    await pass(1200)
    expect(next()).toBeUndefined()
  })

  test('is the limit of the minute until the minute ends, and charges no unit', async () => {
    store.projects.set(projectId, { eventsPerMinute: 2 })
    await take(3)
    expect([next(), next()]).toEqual([overSpikeLimit, overSpikeLimit])
    elapsedMs += 60_000
    expect(next()).toBeUndefined()
    expect(await take(2)).toEqual([expect.any(Number), expect.any(Number)])
  })

  test('is undefined after a new month has begun', async () => {
    store.projects.set(projectId, { monthlyEvents: 0 })
    await take(1)
    elapsedMs += 11 * 86_400_000
    expect(next()).toBeUndefined()
  })
})
