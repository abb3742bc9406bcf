import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstLayout, type IngestLayout } from '#schemas/bus/layout.ts'
import { planShare, type WorkerShare } from './fair-share.ts'

const parameters = { seed: 4, numRuns: 500 }
const worlds = fc.record({
  partitionCount: fc.integer({ min: 1, max: 64 }),
  /**
   * Holder of each partition at the beginning; a number above the number of workers means that it
   * is free.
   */
  holders: fc.array(fc.nat(12), { minLength: 64, maxLength: 64 }),
  workerCount: fc.integer({ min: 1, max: 10 }),
  /** The order in which the workers plan. */
  turns: fc.array(fc.nat(9), { maxLength: 40 }),
})

type Start = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never

class World {
  readonly partitionCount: number
  readonly layout: IngestLayout
  readonly workers: { id: string; owned: number[] }[]

  constructor({ partitionCount, holders, workerCount }: Start) {
    this.partitionCount = partitionCount
    this.layout = firstLayout({ partitions: partitionCount, streams: 1 })
    const partitions = Array.from({ length: partitionCount }, (_, partition) => partition)
    this.workers = Array.from({ length: workerCount }, (_, at) => ({
      id: `w${at}`,
      owned: partitions.filter((partition) => holders[partition] === at),
    }))
  }

  get view(): WorkerShare[] {
    return this.workers.map(({ id, owned }) => ({ id, owned: [...owned] }))
  }

  /**
   * Moves partitions of one worker, possibly based on an older view. Returns how many it moved.
   */
  move(at: number, seen = this.view): number {
    const worker = this.workers[at % this.workers.length]!
    const own = seen.map((one) => (one.id === worker.id ? { ...one, owned: worker.owned } : one))
    const move = planShare({ ...this, self: worker.id, workers: own })
    worker.owned = worker.owned.filter((partition) => !move.release.includes(partition))
    const held = new Set(this.workers.flatMap(({ owned }) => owned))
    const claimed = move.claim.filter((one) => !held.has(one)).slice(0, move.claimsMax)
    worker.owned.push(...claimed)
    return claimed.length + move.release.length
  }
}

test('after every worker has planned three times, partitions are owned evenly and none moves any more', () => {
  fc.assert(
    fc.property(worlds, (start) => {
      const world = new World(start)
      for (const turn of start.turns) world.move(turn)
      const all = world.workers.map((_, at) => at)
      for (let round = 0; round < 3; round += 1) for (const at of all) world.move(at)
      const counts = world.workers.map(({ owned }) => owned.length)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(world.partitionCount)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      for (const at of all) expect(world.move(at)).toBe(0)
    }),
    parameters,
  )
})

test('workers that all act on the same view reach an even distribution too', () => {
  fc.assert(
    fc.property(worlds, (start) => {
      const world = new World(start)
      const all = world.workers.map((_, at) => at)
      for (let round = 0; round < 6; round += 1) {
        const seen = world.view
        for (const at of all) world.move(at, seen)
      }
      for (const at of all) expect(world.move(at)).toBe(0)
      expect(world.view.flatMap(({ owned }) => owned)).toHaveLength(world.partitionCount)
    }),
    parameters,
  )
})

test('a worker with an even share never releases a partition', () => {
  fc.assert(
    fc.property(worlds, (start) => {
      const world = new World(start)
      const even = Math.floor(world.partitionCount / world.workers.length)
      for (const { id, owned } of world.workers) {
        const { release } = planShare({ ...world, self: id, workers: world.view })
        expect(owned.length - release.length).toBeGreaterThanOrEqual(Math.min(owned.length, even))
      }
    }),
    parameters,
  )
})
