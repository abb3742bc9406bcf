/** Ticks are called by hand, so nothing here waits for a timer. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { startStores, type TestStores } from '../../test/stores.ts'
import { Ownership } from './ownership.ts'

const log = createLogger('test', 'silent')
const partitionCount = 4
/** One partition is given back per tick, so this is enough for every move of these tests. */
const ticksMax = 12
let stores: TestStores
let pg: Pool
let workers: TestWorker[] = []
/** Who works on what, over all workers of a test. */
let owners: Map<number, string>

beforeAll(async () => {
  stores = await startStores()
  pg = createPool({ url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }, log)
}, 60_000)

afterAll(async () => {
  await pg?.end()
  await stores?.stop()
}, 30_000)

beforeEach(() => {
  owners = new Map()
})

afterEach(async () => {
  await Promise.all(workers.map(({ ownership }) => ownership.close()))
  workers = []
  await pg.query('delete from workers')
})

class TestWorker {
  readonly id = randomUUID()
  readonly ownership: Ownership
  /** Partitions whose work goes on, whether or not the lock is held. */
  readonly working = new Set<number>()
  readonly events: string[] = []
  /** What `onRelease` waits for: the end of the range in hand. */
  finishing: Promise<void> = Promise.resolve()

  constructor() {
    const options = { postgresUrl: stores.postgresUrl, workerId: this.id, partitionCount }
    this.ownership = new Ownership(
      options,
      {
        onClaimed: (partition) => {
          if (owners.has(partition)) throw new Error(`partition ${partition} has two owners`)
          owners.set(partition, this.id)
          this.working.add(partition)
          this.events.push(`claimed ${partition}`)
        },
        onRelease: async (partition) => {
          await this.finishing
          this.#end(partition)
          this.events.push(`released ${partition}`)
        },
        onLost: () => {
          for (const partition of [...this.working]) this.#end(partition)
          this.events.push('lost')
        },
      },
      log,
    )
    workers.push(this)
  }

  get owned(): readonly number[] {
    return this.ownership.owned
  }

  #end(partition: number): void {
    if (owners.get(partition) === this.id) owners.delete(partition)
    this.working.delete(partition)
  }
}

/** Everybody ticks in turn until `done`. */
async function tickUntil(done: () => boolean): Promise<void> {
  for (let tick = 0; tick < ticksMax && !done(); tick += 1) {
    for (const { ownership } of workers) await ownership.tick().catch(() => undefined)
  }
  expect(done()).toBe(true)
}

function allOwned(): boolean {
  const all = workers.flatMap(({ owned }) => owned).sort()
  return String(all) === '0,1,2,3'
}

function shares(): number[] {
  return workers.map(({ owned }) => owned.length).sort()
}

async function locksHeld(): Promise<number[]> {
  const { rows } = await pg.query<{ partition: number }>(
    `select objid::int as partition from pg_locks
     where locktype = 'advisory' and classid = 7391047 and granted order by 1`,
  )
  return rows.map(({ partition }) => partition)
}

/** Breaks the connection of the one that holds this partition. */
async function breakConnection(partition: number): Promise<void> {
  await pg.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = 7391047 and objid = $1`,
    [partition],
  )
}

test('a worker that is alone owns everything after one tick', async () => {
  const worker = new TestWorker()
  await worker.ownership.tick()
  expect(worker.owned).toEqual([0, 1, 2, 3])
  expect(await locksHeld()).toEqual([0, 1, 2, 3])
})

test('a second worker gets half, one partition at a time', async () => {
  const first = new TestWorker()
  await first.ownership.tick()
  new TestWorker()
  await workers[1]!.ownership.tick()
  await first.ownership.tick()
  expect(first.owned).toHaveLength(3)
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
  // Nothing moves any more.
  const before = workers.map(({ owned }) => owned)
  for (let tick = 0; tick < 3; tick += 1) {
    for (const { ownership } of workers) await ownership.tick()
  }
  expect(workers.map(({ owned }) => owned)).toEqual(before)
})

test('workers that all start at once share without an owner too many', async () => {
  for (const _ of [1, 2, 3, 4]) new TestWorker()
  for (let tick = 0; tick < ticksMax; tick += 1) {
    await Promise.all(workers.map(({ ownership }) => ownership.tick()))
  }
  expect(allOwned()).toBe(true)
  expect(shares()).toEqual([1, 1, 1, 1])
})

test('the partitions of a worker that closes go to the other', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => String(shares()) === '2,2')
  await first.ownership.close()
  expect(first.working).toEqual(new Set())
  workers = [second]
  await second.ownership.tick()
  expect(second.owned).toEqual([0, 1, 2, 3])
})

test('a worker whose connection is cut stops its work, and the partitions get owners again', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => String(shares()) === '2,2')
  await breakConnection(first.owned[0]!)
  await expect.poll(() => first.events.at(-1)).toBe('lost')
  expect(first.owned).toEqual([])
  expect(second.owned).toHaveLength(2)
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
})

test('a killed worker counts as alive no longer than three seconds, then the other owns all', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => String(shares()) === '2,2')
  await breakConnection(first.owned[0]!)
  await expect.poll(() => first.events.at(-1)).toBe('lost')
  workers = [second]
  const firstWasSeen = (ago: string) =>
    pg.query('update workers set seen_at = now() - $2::interval where id = $1', [first.id, ago])
  await firstWasSeen('-1 minute')
  await second.ownership.tick()
  expect(second.owned).toHaveLength(2)
  await firstWasSeen('3.1 seconds')
  await second.ownership.tick()
  expect(second.owned).toEqual([0, 1, 2, 3])
})

test('the lock is given back only when the work has ended', async () => {
  const first = new TestWorker()
  await first.ownership.tick()
  let finish = () => {}
  first.finishing = new Promise((resolve) => {
    finish = resolve
  })
  const releasing = first.ownership.release(3)
  const second = new TestWorker()
  await second.ownership.tick()
  expect(second.owned).toEqual([])
  finish()
  await releasing
  await second.ownership.tick()
  expect(second.owned).toEqual([3])
})

test('partitions that are given back at once do not talk over each other', async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => warnings.push(message)
  process.on('warning', onWarning)
  const worker = new TestWorker()
  await worker.ownership.tick()
  await Promise.all([
    ...worker.owned.map((one) => worker.ownership.release(one)),
    worker.ownership.tick(),
  ])
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
  await worker.ownership.tick()
  expect(worker.owned).toEqual([0, 1, 2, 3])
})

test('a connection that broke during a release leaves the claim made afterwards alone', async () => {
  const worker = new TestWorker()
  await worker.ownership.tick()
  let finish = () => {}
  worker.finishing = new Promise((resolve) => {
    finish = resolve
  })
  const releasing = worker.ownership.release(3).catch(() => undefined)
  await breakConnection(3)
  await expect.poll(() => worker.events.at(-1)).toBe('lost')
  await worker.ownership.tick()
  finish()
  await releasing
  expect(worker.owned).toEqual([0, 1, 2, 3])
  await worker.ownership.tick()
  expect(worker.events.filter((event) => event === 'claimed 3')).toHaveLength(2)
})

test('without Postgres a tick fails, and the one after its return claims again', async () => {
  const worker = new TestWorker()
  await worker.ownership.tick()
  await stores.postgres.kill()
  await expect.poll(() => worker.events.at(-1)).toBe('lost')
  await expect(worker.ownership.tick()).rejects.toThrow()
  await stores.postgres.start()
  await worker.ownership.tick()
  expect(worker.owned).toEqual([0, 1, 2, 3])
})

test('workers that come, go and lose their connections in any order never own a partition twice', async () => {
  // A fixed order of accidents; `onClaimed` throws when a partition has an owner already.
  const accidents = [
    'come',
    'cut',
    'come',
    'go',
    'come',
    'cut',
    'cut',
    'go',
    'come',
    'cut',
  ] as const
  new TestWorker()
  for (const [at, accident] of accidents.entries()) {
    await Promise.all(workers.map(({ ownership }) => ownership.tick().catch(() => undefined)))
    if (accident === 'come') new TestWorker()
    if (accident === 'cut') {
      const before = workers.flatMap(({ events }) => events).filter((event) => event === 'lost')
      await breakConnection(at % partitionCount)
      await expect
        .poll(() => workers.flatMap(({ events }) => events).filter((event) => event === 'lost'))
        .toHaveLength(before.length + 1)
    }
    if (accident === 'go') await workers.shift()!.ownership.close()
    const owned = workers.flatMap((worker) => worker.owned)
    expect(new Set(owned).size).toBe(owned.length)
  }
  for (let tick = 0; tick < ticksMax; tick += 1) {
    await Promise.all(workers.map(({ ownership }) => ownership.tick()))
  }
  expect(allOwned()).toBe(true)
})
