/**
 * Every record of an answered request is digested, for any failure of disk, broker and process.
 */
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frameId } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { MemoryWalStore } from '../../test/fixtures/ingest/memory-wal-store.ts'
import type { FrameWaiter, SealedFrame } from '../frames/frame-batcher.ts'
import { FrameCourier } from '../frames/frame-courier.ts'
import type { Durability } from '../frames/frame-transport.ts'
import { scanFrames } from './scan-frames.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

const instanceId = 'aa'.repeat(16)

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('send' as const), frames: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), frames: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(1_500) }) },
  fc.constantFrom(
    { do: 'cut off' as const },
    { do: 'connect' as const },
    { do: 'hold writes' as const },
    { do: 'let writes go' as const },
    { do: 'refuse' as const },
  ),
  fc.record({ do: fc.constant('fill disk' as const), bytes: fc.nat(400) }),
  fc.constant({ do: 'free disk' as const }),
)

interface Run {
  readonly released: number[]
  readonly onDisk: Set<number>
  readonly stored: Set<number>
  readonly diskFailed: boolean
}

async function run(
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  durability: Durability,
  tornBytes: number,
): Promise<Run> {
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  const disk = new MemoryWalStore()
  const stored = new Set<number>()
  const unanswered: { readonly counter: number; readonly token: number }[] = []
  const released: number[] = []
  let isConnected = true
  let diskFailed = false
  const log = new WriteAheadLog({
    folder: await disk.create(instanceId),
    clock,
    bytesMax: 4_000,
    sleep: async () => {},
    onDropped() {
      diskFailed = true
    },
    onError() {
      diskFailed = true
    },
  })
  const courier = new FrameCourier({
    clock,
    transport: {
      isConnected: () => isConnected,
      send: ({ counter }, token) => void unanswered.push({ counter, token }),
    },
    durability,
    wal: log,
    ackTimeoutMs: 10_000,
    onPassed() {},
    onTrouble() {},
  })
  let nextCounter = 0
  for (const now of steps) {
    switch (now.do) {
      case 'send':
        for (let count = 0; count <= now.frames && !courier.isFull; count += 1) {
          courier.send(frame(nextCounter, released))
          nextCounter += 1
        }
        break
      case 'answer':
        if (!isConnected) break
        for (const { counter, token } of unanswered.splice(0, now.frames)) {
          stored.add(counter)
          courier.receive(token, { kind: 'stored', seq: stored.size, isDuplicate: false })
        }
        break
      case 'refuse':
        for (const { token } of unanswered.splice(0, 2)) {
          courier.receive(token, { kind: 'no_responders' })
        }
        break
      case 'wait':
        clock.ms += now.ms
        courier.sweep()
        log.tick()
        break
      case 'cut off':
        isConnected = false
        unanswered.length = 0
        break
      case 'connect':
        isConnected = true
        courier.resendAll()
        break
      case 'hold writes':
        disk.holdsWrites = true
        break
      case 'let writes go':
        disk.holdsWrites = false
        disk.letWritesGo()
        break
      case 'fill disk':
        disk.isFull = true
        disk.bytesBeforeFull = now.bytes
        break
      case 'free disk':
        disk.isFull = false
    }
    for (let turns = 0; turns < 4; turns += 1) await turn()
    if (log.isUsable === false) diskFailed = true
  }
  disk.kill(instanceId, tornBytes)
  await turn()
  const onDisk = new Set<number>()
  for (const file of disk.folders[0]?.files.values() ?? []) {
    scanFrames(file, ({ number }) => onDisk.add(number.counter))
  }
  return { released, onDisk, stored, diskFailed }
}

function frame(counter: number, released: number[]): SealedFrame {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(256) })
  writer.append({
    kind: 'event',
    projectId: 1 as ProjectId,
    dsnKeyNo: 1 as DsnKeyNo,
    receivedAtMs: 1,
    recordId: Buffer.alloc(16, counter),
    headerJson: '',
    payload: Buffer.from(`{"n":${counter}}`),
  })
  const number = { instanceId, partition: 0, counter }
  const waiter: FrameWaiter = { hold() {}, release: () => released.push(counter), expire() {} }
  return { ...number, id: frameId(number), bytes: writer.finish(number), waiters: [waiter] }
}

test.each(['log', 'broker'] as const)(
  'in %s mode a crash loses nothing that was answered',
  async (durability) => {
    let releasedCount = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.nat(600),
        async (steps, tornBytes) => {
          const { released, onDisk, stored, diskFailed } = await run(steps, durability, tornBytes)
          releasedCount += released.length
          expect(released.length).toBe(new Set(released).size)
          const lost = released.filter((counter) => !onDisk.has(counter) && !stored.has(counter))
          expect(lost).toEqual([])
          // With a working disk, the write-ahead log has every frame: the broker may lose any of
          // them.
          if (durability === 'log' && !diskFailed) {
            expect(released.filter((counter) => !onDisk.has(counter))).toEqual([])
          }
        },
      ),
      { seed: 20_261_121, numRuns: 300 },
    )
    expect(releasedCount).toBeGreaterThan(500)
  },
)
