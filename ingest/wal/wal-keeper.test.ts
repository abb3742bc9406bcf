import { expect, test } from 'vitest'
import { MemoryWalStore } from '../../test/fixtures/ingest/memory-wal-store.ts'
import {
  frame,
  instanceA,
  instanceB,
  startProcess,
  Waiter,
} from '../../test/fixtures/ingest/wal-fixture.ts'

const idsOf = (sent: readonly { id: string }[]) => sent.map(({ id }) => id)

test('a frame is on disk before the broker sees it, and its request waits for both', async () => {
  const disk = new MemoryWalStore()
  const { courier, sent, pass, acknowledge } = await startProcess(instanceA, disk)
  disk.holdsWrites = true
  const waiter = new Waiter()
  courier.send(frame(instanceA, 0, waiter))
  await pass(500)
  expect([sent.length, waiter.holds]).toEqual([0, 1])
  disk.letWritesGo()
  await pass(250)
  expect([sent.length, waiter.holds]).toEqual([1, 1])
  acknowledge(0, 1)
  expect(waiter.holds).toBe(0)
})

test('frames of a turn are written together, and so are those that arrive during a write', async () => {
  const disk = new MemoryWalStore()
  const { courier, sent, pass } = await startProcess(instanceA, disk)
  disk.holdsWrites = true
  for (let counter = 0; counter < 4; counter += 1) courier.send(frame(instanceA, counter))
  await pass(250)
  for (let counter = 4; counter < 10; counter += 1) courier.send(frame(instanceA, counter))
  await pass(250)
  expect(disk.writes).toBe(1)
  disk.holdsWrites = false
  disk.letWritesGo()
  await pass(250)
  expect(disk.writes).toBe(2)
  expect(sent).toHaveLength(10)
})

test('a file is removed only after workers have committed its frames', async () => {
  const { disk, courier, pass, acknowledge, digest } = await startProcess(instanceA)
  courier.send(frame(instanceA, 0))
  courier.send(frame(instanceA, 1))
  await pass(250)
  acknowledge(0, 1)
  acknowledge(1, 2)
  digest(1, 1)
  await pass(10_000)
  expect(disk.folders[0]!.files.size).toBe(1)
  digest(2, 2)
  await pass(2_000)
  expect(disk.folders[0]!.files.size).toBe(0)
})

// biome-ignore format: the columns are the point
test.each([
  ['the partition was committed past it', { contiguous: 1, ahead: [2, 3], committed: 3, last: 3 }, [1]],
  ['the bus ends before it',              { contiguous: 1, ahead: [],     committed: 1, last: 1 }, [1, 2]],
  ['it lost all of them',                 { contiguous: 0, ahead: [],     committed: 0, last: 0 }, [0, 1, 2]],
  ['the sequences changed',               { contiguous: 0, ahead: [],     committed: 9, last: 9 }, [0, 1, 2]],
] as const)('a frame that the broker lost is resent with a new message id: %s', async (_name, now, lost) => {
  const { courier, sent, notifications, pass, acknowledge, digest, endAt } = await startProcess(instanceA)
  for (let counter = 0; counter < 3; counter += 1) courier.send(frame(instanceA, counter))
  await pass(250)
  for (let counter = 0; counter < 3; counter += 1) acknowledge(counter, counter + 1)
  sent.length = 0
  digest(now.contiguous, now.committed, [...now.ahead])
  endAt(now.last)
  await pass(12_000)
  const again = idsOf(sent).filter((id) => id.endsWith('.1'))
  expect([...new Set(again)].sort()).toEqual(lost.map((counter) => `${instanceA}.0.${counter}.1`))
  expect([...new Set(sent.map(({ counter }) => counter))].sort()).toEqual([...lost])
  expect(notifications[0]).toEqual({ kind: 'forgotten', instanceId: instanceA, frames: lost.length })
})

test('a frame that is not digested yet is not resent', async () => {
  const { courier, sent, pass, acknowledge, digest } = await startProcess(instanceA)
  courier.send(frame(instanceA, 0))
  courier.send(frame(instanceA, 1))
  await pass(250)
  acknowledge(0, 1)
  acknowledge(1, 2)
  digest(1, 1)
  await pass(60_000)
  expect(sent).toHaveLength(2)
})

test('while the broker is unavailable the log suffices, and frames that do not fit into memory are sent from it later', async () => {
  const { courier, sent, transport, pass, clock } = await startProcess(instanceA)
  transport.up = false
  const waiters = Array.from({ length: 3_000 }, () => new Waiter())
  for (const [counter, waiter] of waiters.entries()) courier.send(frame(instanceA, counter, waiter))
  await pass(1_000)
  expect(waiters.filter(({ holds }) => holds > 0)).toHaveLength(0)
  expect(courier.frameCount).toBeLessThan(waiters.length)
  expect(courier.isFull).toBe(false)
  transport.up = true
  courier.resendAll()
  for (let round = 0; round < 200; round += 1) {
    for (const { token } of sent.slice(-1_500)) {
      courier.receive(token, { kind: 'stored', seq: 1, isDuplicate: false })
    }
    await pass(250)
  }
  expect(new Set(sent.map(({ counter }) => counter)).size).toBe(waiters.length)
  expect(clock.ms).toBeGreaterThan(0)
})

test('with a full log and without the broker no request is accepted', async () => {
  const { courier, transport, pass } = await startProcess(instanceA, new MemoryWalStore(), {
    bytesMax: 2_000,
  })
  transport.up = false
  for (let counter = 0; counter < 20; counter += 1) courier.send(frame(instanceA, counter))
  await pass(250)
  expect(courier.isFull).toBe(true)
})

test('a full log drops acknowledged frames while the broker is available', async () => {
  const { courier, log, sent, pass, acknowledge } = await startProcess(
    instanceA,
    new MemoryWalStore(),
    {
      bytesMax: 1_000,
    },
  )
  for (let counter = 0; counter < 40; counter += 1) {
    const waiter = new Waiter()
    courier.send(frame(instanceA, counter, waiter))
    await pass(1_000)
    acknowledge(counter, counter + 1)
    expect(waiter.holds).toBe(0)
  }
  expect(sent).toHaveLength(40)
  expect(log.segmentsDropped).toBeGreaterThan(0)
  expect(log.byteCount).toBeLessThanOrEqual(1_000)
})

test('when the disk fails, only an acknowledgement of the broker releases requests', async () => {
  const disk = new MemoryWalStore()
  const { courier, transport, pass, acknowledge } = await startProcess(instanceA, disk)
  disk.isFull = true
  const first = new Waiter()
  courier.send(frame(instanceA, 0, first))
  await pass(250)
  expect(first.holds).toBe(1)
  acknowledge(0, 1)
  expect(first.holds).toBe(0)

  transport.up = false
  expect(courier.isFull).toBe(true)
  const second = new Waiter()
  courier.send(frame(instanceA, 1, second))
  await pass(7_000)
  expect([second.holds, second.expired]).toEqual([1, 0])
  // There is space again: waiting frames are logged.
  disk.isFull = false
  await pass(1_500)
  expect([second.holds, second.expired]).toEqual([0, 0])
})

test('a disk that does not respond for a while counts as failed', async () => {
  const disk = new MemoryWalStore()
  const { courier, sent, pass, acknowledge, log, digest } = await startProcess(instanceA, disk)
  disk.holdsWrites = true
  const waiter = new Waiter()
  courier.send(frame(instanceA, 0, waiter))
  await pass(1_000)
  expect(sent).toHaveLength(0)
  await pass(1_500)
  expect(sent).toHaveLength(1)
  acknowledge(0, 1)
  expect(waiter.holds).toBe(0)
  disk.letWritesGo()
  await pass(3_000)
  expect([log.isUsable, log.segments.length]).toEqual([true, 1])
  // Acknowledgements from this time are kept: no frame counts as lost.
  await pass(10_000)
  expect(sent).toHaveLength(1)
  digest(1, 1)
  await pass(2_000)
  expect(log.segments).toHaveLength(0)
})

test('a frame that could not be written does not delay the removal of its file', async () => {
  const disk = new MemoryWalStore()
  const { courier, pass, acknowledge, digest, log, endAt, notifications } = await startProcess(
    instanceA,
    disk,
    { durability: 'broker' },
  )
  for (const [counter, isLogged] of [true, false, true].entries()) {
    courier.send(frame(instanceA, counter))
    // In broker mode a frame that is acknowledged in time is not logged.
    if (isLogged) await pass(1_250)
    acknowledge(counter, counter + 1)
  }
  await pass(500)
  endAt(3)
  digest(1, 3, [2, 3])
  await pass(10_000)
  expect(log.segments).toHaveLength(0)
  expect(notifications).toEqual([])
})

test('in broker mode frames are not logged while the broker answers', async () => {
  const disk = new MemoryWalStore()
  const { courier, transport, pass, acknowledge } = await startProcess(instanceA, disk, {
    durability: 'broker',
  })
  const waiter = new Waiter()
  courier.send(frame(instanceA, 0, waiter))
  acknowledge(0, 1)
  expect([waiter.holds, disk.writes]).toEqual([0, 0])
  transport.up = false
  courier.send(frame(instanceA, 1, waiter))
  await pass(500)
  expect([waiter.holds, disk.writes]).toEqual([0, 1])
})

test('in broker mode a frame that stays unanswered is logged, and its request answered', async () => {
  const disk = new MemoryWalStore()
  const { courier, pass } = await startProcess(instanceA, disk, { durability: 'broker' })
  const waiter = new Waiter()
  courier.send(frame(instanceA, 0, waiter))
  await pass(2_000)
  expect([waiter.holds, disk.writes]).toEqual([0, 1])
})

test('the log of a dead process is sent, and settled and removed after its commit', async () => {
  const disk = new MemoryWalStore()
  const dead = await startProcess(instanceA, disk)
  dead.transport.up = false
  for (let counter = 0; counter < 5; counter += 1) dead.courier.send(frame(instanceA, counter))
  await dead.pass(250)
  disk.tear(instanceA, frame(instanceA, 5).bytes.subarray(0, 30))
  disk.kill(instanceA)

  const { sent, settled, notifications, pass, digest, courier } = await startProcess(
    instanceB,
    disk,
  )
  // Two of them had reached the broker.
  digest(2, 2, [], instanceA)
  await pass(3_000)
  expect(notifications).toContainEqual({ kind: 'adopted', instanceId: instanceA, frames: 5 })
  expect(notifications).toContainEqual({
    kind: 'damaged',
    instanceId: instanceA,
    frames: 0,
    bytes: 30,
  })
  expect([...new Set(sent.map(({ counter }) => counter))]).toEqual([2, 3, 4])
  for (const { token } of sent)
    courier.receive(token, { kind: 'stored', seq: 5, isDuplicate: false })
  await pass(5_000)
  expect(settled).toEqual([])
  digest(5, 5, [], instanceA)
  await pass(10_000)
  expect(settled).toEqual([instanceA])
  expect(disk.folders.map(({ instanceId }) => instanceId)).toEqual([instanceB])
})

test('a silent live process keeps its log', async () => {
  const disk = new MemoryWalStore()
  await startProcess(instanceA, disk)
  const { notifications, pass } = await startProcess(instanceB, disk)
  await pass(60_000)
  expect(notifications).toEqual([])
})

test('a log whose adopter dies is adopted by another process', async () => {
  const disk = new MemoryWalStore()
  const dead = await startProcess(instanceA, disk)
  dead.courier.send(frame(instanceA, 0))
  await dead.pass(250)
  disk.kill(instanceA)
  const adopter = await startProcess(instanceB, disk)
  await adopter.pass(500)
  disk.kill(instanceB)
  const { sent, notifications, pass } = await startProcess('cc'.repeat(16), disk)
  await pass(30_000)
  expect(
    notifications
      .filter(({ kind }) => kind === 'adopted')
      .map(({ instanceId }) => instanceId)
      .sort(),
  ).toEqual([instanceA, instanceB])
  expect(sent.some(({ id }) => id === `${instanceA}.0.0`)).toBe(true)
})

test('the log says why it cannot be written, and tries the disk itself afterwards', async () => {
  const disk = new MemoryWalStore()
  const { courier, log, pass } = await startProcess(instanceA, disk)
  expect(await log.findFault()).toBeUndefined()
  disk.isFull = true
  expect(await log.findFault()).toBeUndefined()
  courier.send(frame(instanceA, 0))
  await pass(250)
  for (let check = 0; check < 3; check += 1) {
    expect(await log.findFault()).toBe('The disk of the write-ahead log refuses writes.')
    await pass(5_000)
  }
  disk.isFull = false
  expect(await log.findFault()).toBeUndefined()
})

test('a log that is full, and one whose disk hangs, have a fault', async () => {
  const full = await startProcess(instanceA, new MemoryWalStore(), { bytesMax: 2_000 })
  full.transport.up = false
  for (let counter = 0; counter < 40; counter += 1) {
    full.courier.send(frame(instanceA, counter))
    await full.pass(1_000)
  }
  expect(full.log.byteCount).toBeGreaterThan(1_000)
  expect(await full.log.findFault()).toContain('is full')

  const disk = new MemoryWalStore()
  const { courier, log, pass } = await startProcess(instanceB, disk)
  disk.holdsWrites = true
  courier.send(frame(instanceB, 0))
  await pass(2_500)
  expect(await log.findFault()).toContain('has not completed a write for 2 s')
  disk.letWritesGo()
  await pass(250)
  expect(await log.findFault()).toBeUndefined()
})
