/**
 * Several processes with one store, in any order of offers, commits, crashes, lost answers and
 * time. Grants never exceed the limit plus the allowances, and after everything is settled, the
 * usage equals the accepted events.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { MemoryQuotaStore } from '../../test/fixtures/ingest/memory-quota-store.ts'
import { QuotaBook } from './quota-book.ts'

const payer = { projectId: 7 as ProjectId, keyNo: 1 as DsnKeyNo }
const startMs = Date.UTC(2026, 10, 21)
const november = '2026-11-01'
const processCount = 3
/** Reached soon, and so high that the project is far from it at first. */
const limits = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1_600, max: 2_000 }))

interface LoggedRecord {
  readonly instanceId: string
  readonly leaseNo: number
}

type Step =
  | { readonly kind: 'offer'; readonly process: number; readonly count: number }
  | { readonly kind: 'log' | 'die' | 'drain'; readonly process: number }
  | { readonly kind: 'commit'; readonly count: number; readonly duplicates: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'hold' | 'answer' }
  | { readonly kind: 'listen'; readonly hears: boolean }
  | { readonly kind: 'store'; readonly fails: 'before' | 'after' | undefined }

const process = fc.nat(processCount - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('offer' as const),
      process,
      count: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('log' as const), process }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('die' as const, 'drain' as const), process }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      count: fc.nat(60),
      duplicates: fc.nat(5),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('hold' as const, 'answer' as const) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('listen' as const), hears: fc.boolean() }),
  },
)
const trouble: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('store' as const),
  fails: fc.constantFrom('before', 'after', undefined),
})

/** One ingest process: a quota book, and the charges that are not in its write-ahead log yet. */
class Process {
  readonly instanceId: string
  readonly book: QuotaBook
  isAlive = true
  unlogged: LoggedRecord[] = []
  offers: Promise<void>[] = []

  constructor(world: World, instanceId: string) {
    this.instanceId = instanceId
    const { store, clock } = world
    const hearsChanges = () => world.hearsChanges
    this.book = new QuotaBook({ store, clock, instanceId, hearsChanges })
  }

  offer(count: number, nowMs: () => number): void {
    this.offers.push(this.book.whenReady(payer, count, () => this.#charge(count, nowMs)))
  }

  #charge(count: number, nowMs: () => number): void {
    if (!this.isAlive) return
    for (let taken = 0; taken < count; taken += 1) {
      const charged = this.book.charge(payer, nowMs())
      if (typeof charged !== 'number') return
      this.unlogged.push({ instanceId: this.instanceId, leaseNo: charged })
    }
  }
}

class World {
  readonly store = new MemoryQuotaStore()
  elapsedMs = 0
  readonly clock = { nowMs: () => startMs + this.elapsedMs, monotonicMs: () => this.elapsedMs }
  readonly processes: Process[] = []
  readonly dead: Process[] = []
  log: LoggedRecord[] = []
  accepted = 0
  lent = 0
  hearsChanges = true
  /** Instances that were drained but left a lease open. */
  leftOpen: string[] = []
  readonly #drained: string[] = []
  readonly #held: (() => void)[] = []
  #instanceCount = 0

  constructor(limit: number) {
    this.store.projects.set(payer.projectId, { monthlyEvents: limit })
    this.store.onLimitChange = (projectId) => {
      if (!this.hearsChanges) return
      for (const { book } of this.processes) book.limitChanged(projectId)
    }
    for (let index = 0; index < processCount; index += 1) this.processes.push(this.#begin())
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'offer':
        this.processes[step.process]!.offer(step.count, this.clock.nowMs)
        break
      case 'log':
        this.#log(this.processes[step.process]!)
        break
      case 'die':
        this.#die(step.process)
        break
      case 'drain':
        await this.#drain(step.process)
        break
      case 'commit':
        this.#commit(step.count, step.duplicates)
        break
      case 'pass':
        await this.pass(step.ms)
        break
      case 'hold':
        this.store.delay = () => new Promise((answer) => this.#held.push(answer))
        break
      case 'answer':
        this.#answer()
        break
      case 'listen':
        this.hearsChanges = step.hears
        for (const { book } of this.processes) book.limitsMayHaveChanged()
        break
      case 'store':
        this.store.fails = step.fails
    }
    await turn()
  }

  async pass(ms: number): Promise<void> {
    this.#answer()
    await turn()
    for (const endMs = this.elapsedMs + ms; this.elapsedMs < endMs; ) {
      this.elapsedMs = Math.min(endMs, this.elapsedMs + 250)
      for (const { book } of this.processes) book.tick()
      await turn()
    }
  }

  /** Commits every logged record, settles dead instances and drains live ones. */
  async settle(): Promise<void> {
    this.store.fails = undefined
    await this.pass(3_000)
    for (let index = 0; index < processCount; index += 1) await this.#drain(index)
    this.#commit(this.log.length, 0)
    this.leftOpen = this.#drained.filter((instanceId) => this.store.openLeases(instanceId) > 0)
    for (const { instanceId } of this.dead) await this.store.settleInstance(instanceId)
  }

  /** Offers one event at a time until an event is refused and waiting does not help. */
  async offerUntilRefused(): Promise<void> {
    for (let refusals = 0; refusals < 3; ) {
      const process = this.processes[0]!
      const before = process.unlogged.length
      process.offer(1, this.clock.nowMs)
      await turn()
      refusals = process.unlogged.length === before ? refusals + 1 : 0
      if (refusals > 0) await this.pass(1_500)
    }
  }

  /** Delivers the delayed answers of the store. */
  #answer(): void {
    this.store.delay = undefined
    for (const answer of this.#held.splice(0)) answer()
  }

  #begin(): Process {
    this.#instanceCount += 1
    return new Process(this, `instance ${this.#instanceCount}`)
  }

  #log(process: Process): void {
    this.log.push(...process.unlogged.splice(0))
  }

  /** Charges that were not logged are lost; their requests were never answered. */
  #die(index: number): void {
    const process = this.processes[index]!
    process.isAlive = false
    this.dead.push(process)
    this.processes[index] = this.#begin()
  }

  async #drain(index: number): Promise<void> {
    const process = this.processes[index]!
    this.#answer()
    // Waits for the answers to the last requests.
    for (let hop = 0; hop < 12 && process.book.waiterCount > 0; hop += 1) await this.pass(250)
    await Promise.all(process.offers)
    this.#log(process)
    await process.book.drain()
    this.#drained.push(process.instanceId)
    this.#die(index)
  }

  /** Commits the oldest records; the first `duplicates` of them are duplicates. */
  #commit(count: number, duplicates: number): void {
    const records = this.log.splice(0, count)
    for (const [index, { leaseNo }] of records.entries()) {
      const accepted = index < duplicates ? 0 : 1
      this.accepted += accepted
      if (leaseNo === 0) {
        this.lent += accepted
        this.store.commitUnleased(payer.projectId, november, accepted)
      } else this.store.commit(leaseNo, { records: 1, accepted })
    }
  }
}

async function turn(): Promise<void> {
  for (let hop = 0; hop < 30; hop += 1) await Promise.resolve()
}

test('the usage never exceeds the limit and finally equals it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      limits,
      async (steps, limit) => {
        const world = new World(limit)
        for (const step of steps) await world.run(step)
        await world.settle()
        const { store } = world
        expect(store.peaks.get(`${payer.projectId} ${november}`) ?? 0).toBeLessThanOrEqual(limit)
        expect(store.used(payer.projectId, november)).toBe(world.accepted)
        expect(world.leftOpen).toEqual([])
        await world.offerUntilRefused()
        await world.settle()
        expect(world.lent).toBe(0)
        expect(world.accepted).toBe(limit)
        expect(store.used(payer.projectId, november)).toBe(limit)
      },
    ),
    { seed: 20261121, numRuns: 120 },
  )
})

test('the usage never exceeds the limit plus the allowances when the store fails and answers are lost', async () => {
  const steps = fc.array(
    fc.oneof({ weight: 8, arbitrary: step }, { weight: 1, arbitrary: trouble }),
    { maxLength: 60, size: 'max' },
  )
  await fc.assert(
    fc.asyncProperty(steps, limits, async (steps, limit) => {
      const world = new World(limit)
      for (const step of steps) await world.run(step)
      await world.settle()
      const { store } = world
      const instances = world.dead.length
      // A process that does not know the limit has a fixed allowance.
      expect(world.lent).toBeLessThanOrEqual(instances * Math.max(100, Math.ceil(limit / 100)))
      expect(store.used(payer.projectId, november)).toBe(world.accepted)
      expect(world.accepted - world.lent).toBeLessThanOrEqual(limit)
      await world.offerUntilRefused()
      await world.settle()
      expect(world.accepted).toBeGreaterThanOrEqual(limit)
      expect(store.used(payer.projectId, november)).toBe(world.accepted)
      if (world.lent === 0) expect(world.accepted).toBe(limit)
    }),
    { seed: 20261121, numRuns: 120 },
  )
})
