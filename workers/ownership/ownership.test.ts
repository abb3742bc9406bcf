/** The tests call ticks themselves, so none waits for a timer. */

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import { type OwnStores, startOwnStores } from '../../test/fixtures/processes/stores.ts'
import { Ownership } from './ownership.ts'

const log = createLogger('test', 'silent')
const partitionCount = 4
const layout = firstLayout({ partitions: partitionCount, streams: 1 })
/** One partition is released per tick, so this is enough for every move of these tests. */
const ticksMax = 12
let stores: OwnStores
let pg: Pool
let workers: TestWorker[] = []
/** Worker by partition, over all workers of a test. */
let owners: Map<number, string>

beforeAll(async () => {
  stores = await startOwnStores()
  pg = createPool({ url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }, log)
})

afterAll(async () => {
  await pg?.end()
  await stores?.stop()
})

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
  /** Partitions that are still worked on, with or without the lock. */
  readonly working = new Set<number>()
  readonly events: string[] = []
  /** `onRelease` waits for this promise: the end of the current range. */
  finishing: Promise<void> = Promise.resolve()

  constructor() {
    const options = { postgresUrl: stores.postgresUrl, workerId: this.id, layout }
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

/** Lets the workers tick in turn until `done`. */
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

/** Returns the connection that holds each partition. */
async function holders(): Promise<Map<number, number>> {
  const { rows } = await pg.query<{ partition: number; pid: number }>(
    `select objid::int as partition, pid from pg_locks
     where locktype = 'advisory' and classid = 7391047 and granted`,
  )
  return new Map(rows.map(({ partition, pid }) => [partition, pid]))
}

/** Terminates the connection that holds this partition. */
async function breakConnection(partition: number): Promise<void> {
  await pg.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = 7391047 and objid = $1`,
    [partition],
  )
}

test('a single worker owns all partitions after one tick', async () => {
  const worker = new TestWorker()
  await worker.ownership.tick()
  expect(worker.owned).toEqual([0, 1, 2, 3])
  expect(await locksHeld()).toEqual([0, 1, 2, 3])
})

test('a second worker gets half, and then no partition moves any more', async () => {
  const first = new TestWorker()
  await first.ownership.tick()
  new TestWorker()
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
  const before = workers.map(({ owned }) => owned)
  for (let tick = 0; tick < 3; tick += 1) {
    for (const { ownership } of workers) await ownership.tick()
  }
  expect(workers.map(({ owned }) => owned)).toEqual(before)
})

test('three workers share four partitions as two, one and one', async () => {
  for (const _ of [1, 2, 3]) {
    await new TestWorker().ownership.tick()
    await tickUntil(allOwned)
  }
  await tickUntil(() => allOwned() && String(shares()) === '1,1,2')
})

test('workers that start at once share the partitions without two owners of one', async () => {
  for (const _ of [1, 2, 3, 4]) new TestWorker()
  for (let tick = 0; tick < ticksMax; tick += 1) {
    await Promise.all(workers.map(({ ownership }) => ownership.tick()))
  }
  expect(allOwned()).toBe(true)
  expect(shares()).toEqual([1, 1, 1, 1])
})

test('the partitions of a closed worker go to the other', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => String(shares()) === '2,2')
  await first.ownership.close()
  expect(first.working).toEqual(new Set())
  workers = [second]
  await second.ownership.tick()
  expect(second.owned).toEqual([0, 1, 2, 3])
})

test('a worker whose connection is lost stops its work, and the partitions get owners again', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => String(shares()) === '2,2')
  await breakConnection(first.owned[0]!)
  await expect.poll(() => first.events.at(-1)).toBe('lost')
  expect(first.owned).toEqual([])
  expect(second.owned).toHaveLength(2)
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
})

/** Sets the time of the worker's last report. */
async function wasSeen({ id }: TestWorker, ago: string): Promise<void> {
  await pg.query('update workers set seen_at = now() - $2::interval where id = $1', [id, ago])
}

test('a killed worker keeps its share for at most three seconds, then the other owns all', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => String(shares()) === '2,2')
  await breakConnection(first.owned[0]!)
  await expect.poll(() => first.events.at(-1)).toBe('lost')
  workers = [second]
  await wasSeen(first, '2 seconds')
  await second.ownership.tick()
  expect(second.owned).toHaveLength(2)
  await wasSeen(first, '4.1 seconds')
  await second.ownership.tick()
  expect(second.owned).toEqual([0, 1, 2, 3])
})

/** Simulates three seconds without a report of the worker, whose connection is older. */
async function fallSilent(worker: TestWorker): Promise<void> {
  await wasSeen(worker, '4.1 seconds')
  const pid = (await holders()).get(worker.owned[0]!)
  // A connection that is younger than three seconds is left alone.
  await expect
    .poll(async () => {
      const { rows } = await pg.query(
        `select now() - backend_start > interval '3 seconds' as old from pg_stat_activity where pid = $1`,
        [pid],
      )
      await wasSeen(worker, '4.1 seconds')
      return rows[0]?.old
    })
    .toBe(true)
}

test('a paused worker loses its connection and its partitions, and gets partitions again', async () => {
  const sleeper = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
  await fallSilent(sleeper)
  await second.ownership.tick()
  expect(sleeper.events).not.toContain('lost')
  await wasSeen(sleeper, '4.1 seconds')
  workers = [second]
  await second.ownership.tick()
  await expect.poll(() => sleeper.events.at(-1)).toBe('lost')
  expect(sleeper.working).toEqual(new Set())
  await tickUntil(allOwned)
  workers = [second, sleeper]
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
})

test('a new worker, or one that was silent itself, does not terminate connections', async () => {
  const first = new TestWorker()
  await first.ownership.tick()
  await fallSilent(first)
  const second = new TestWorker()
  await second.ownership.tick()
  expect(first.owned).toHaveLength(4)
  // Postgres was unavailable for all: all reported for the last time at the same moment.
  await wasSeen(first, '60 seconds')
  await wasSeen(second, '60 seconds')
  await second.ownership.tick()
  expect(first.events).not.toContain('lost')
  await wasSeen(first, '4.1 seconds')
  await second.ownership.tick()
  await expect.poll(() => first.events.at(-1)).toBe('lost')
})

test('the connection of a live worker is kept if it has the process id of a dead connection', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
  await fallSilent(first)
  await first.ownership.tick()
  const pid = (await holders()).get(first.owned[0]!)
  await pg.query(
    `insert into workers (id, seen_at, lock_backend_pid) values (gen_random_uuid(), now() - interval '9 minutes', $1)`,
    [pid],
  )
  await second.ownership.tick()
  await first.ownership.tick()
  expect([...first.events, ...second.events]).not.toContain('lost')
  expect(shares()).toEqual([2, 2])
})

test('a closing worker finishes its current range, and its share is free before that', async () => {
  const first = new TestWorker()
  const second = new TestWorker()
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
  const mine = first.owned.length
  first.events.length = 0
  let finish = () => {}
  first.finishing = new Promise((resolve) => {
    finish = resolve
  })
  const closing = first.ownership.close()
  await first.ownership.tick()
  await second.ownership.tick()
  expect(second.owned).toHaveLength(2)
  expect(first.events).toEqual([])
  expect(await locksHeld()).toHaveLength(4)
  finish()
  await closing
  expect(first.events).toHaveLength(mine)
  expect(first.events).not.toContain('lost')
  workers = [second]
  await second.ownership.tick()
  expect(second.owned).toEqual([0, 1, 2, 3])
})

test('a worker that is closed while it connects leaves no connection', async () => {
  const worker = new TestWorker()
  const ticking = worker.ownership.tick()
  await worker.ownership.close()
  await ticking
  await worker.ownership.tick()
  // Postgres needs a moment to notice that a connection has ended.
  const left = async () => {
    const { rows } = await pg.query(
      `select (select count(*)::int from workers) as workers,
              (select count(*)::int from pg_stat_activity where application_name = 'sluice-worker-locks') as connections`,
    )
    return rows
  }
  await expect.poll(left).toEqual([{ workers: 0, connections: 0 }])
  expect(worker.owned).toEqual([])
})

test('a worker still reports during a long release', async () => {
  const first = new TestWorker()
  await first.ownership.tick()
  let finish = () => {}
  first.finishing = new Promise((resolve) => {
    finish = resolve
  })
  const second = new TestWorker()
  await second.ownership.tick()
  // Two partitions are being released, and their work continues.
  for (let tick = 0; tick < 3; tick += 1) {
    await wasSeen(first, '2 seconds')
    await first.ownership.tick()
    await second.ownership.tick()
  }
  expect(first.working.size).toBe(4)
  const { rows } = await pg.query(
    `select now() - seen_at < interval '1 second' as fresh from workers where id = $1`,
    [first.id],
  )
  expect(rows).toEqual([{ fresh: true }])
  finish()
  await tickUntil(() => allOwned() && String(shares()) === '2,2')
})

test('the lock is released only when the work has ended', async () => {
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

test('concurrent releases of partitions do not interfere', async () => {
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

test('a connection that broke during a release does not affect a later claim', async () => {
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

test('without Postgres a tick fails, and the first tick after its recovery claims again', async () => {
  const worker = new TestWorker()
  await worker.ownership.tick()
  await stores.postgres.kill()
  await expect.poll(() => worker.events.at(-1)).toBe('lost')
  await expect(worker.ownership.tick()).rejects.toThrow()
  await stores.postgres.start()
  await worker.ownership.tick()
  expect(worker.owned).toEqual([0, 1, 2, 3])
})

const accidents = ['come', 'come', 'go', 'cut', 'sleep', 'wake', 'nothing'] as const

test.each([1, 2, 3, 4, 5, 6])(
  'workers that start, stop, pause and lose their connections never own a partition twice (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const sleeping = new Set<TestWorker>()
    new TestWorker()
    for (let step = 0; step < 25; step += 1) {
      const awake = workers.filter((worker) => !sleeping.has(worker))
      await Promise.all(awake.map(({ ownership }) => ownership.tick().catch(() => undefined)))
      const accident = accidents[random(accidents.length)]!
      const worker = workers[random(workers.length)]!
      if (accident === 'come' && workers.length < 6) new TestWorker()
      if (accident === 'cut' && worker.owned.length > 0) {
        const lost = worker.events.filter((event) => event === 'lost').length
        await breakConnection(worker.owned[0]!)
        await expect
          .poll(() => worker.events.filter((event) => event === 'lost').length)
          .toBe(lost + 1)
      }
      if (accident === 'go' && workers.length > 1) {
        workers = workers.filter((one) => one !== worker)
        await worker.ownership.close()
      }
      if (accident === 'sleep') {
        sleeping.add(worker)
        await wasSeen(worker, '5 seconds')
      }
      if (accident === 'wake') sleeping.clear()
      // `onClaimed` throws when another worker still works on the partition.
      const owned = workers.flatMap((one) => one.owned)
      expect(new Set(owned).size).toBe(owned.length)
    }
    const even = () => Math.max(...shares()) - Math.min(...shares()) <= 1
    await tickUntil(() => allOwned() && even())
  },
)

/** Random numbers below `end`, the same in every run with one seed. */
function seededRandom(seed: number): (end: number) => number {
  let state = seed
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
}
