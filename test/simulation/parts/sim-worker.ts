/**
 * One worker process: it claims its share of the partitions by locks and runs the product's
 * `PartitionDigest` on each. Only the ports are simulated, and the threads: the digest runs in this
 * thread after a delay.
 */

import type { Logger } from '#platform/logger.ts'
import { decodeFrame, decodeRecords } from '#schemas/bus/frame.ts'
import { ownDeadLetters } from '../../../workers/dead-letters/dead-letter.ts'
import { digestRange } from '../../../workers/digest/digest-range.ts'
import type { RangeInput } from '../../../workers/digest/range.ts'
import { recordOrdinal } from '../../../workers/digest/record-ordinal.ts'
import type { WorkerMetrics } from '../../../workers/metrics.ts'
import { planShare } from '../../../workers/ownership/fair-share.ts'
import {
  type PartitionContext,
  PartitionDigest,
} from '../../../workers/partitions/digest-partition.ts'
import type { Sleep } from '../../../workers/partitions/ports.ts'
import { silentLogger, silentMetrics } from '../../fixtures/workers/silent-observers.ts'
import type { World } from '../world.ts'
import { poisonMark } from './marks.ts'
import type { LockSession } from './sim-locks.ts'
import { SimLogReader } from './sim-log-reader.ts'
import { SimProcess } from './sim-process.ts'
import { simPurge } from './sim-purge.ts'
import { simRangeStore } from './sim-range-store.ts'
import { simRowStore } from './sim-row-store.ts'
import type { Service } from './slot.ts'

const tickMs = 1_000
const maintenanceMs = 5_000
/** A worker whose lock connection is silent for longer loses it to the other workers. */
const silentMs = 3_000

interface Owned {
  readonly digest: PartitionDigest
  readonly work: Promise<void>
  /** The connection that holds the lock. */
  readonly session: LockSession
  isStopped: boolean
}

export class SimWorker implements Service {
  readonly process: SimProcess
  readonly #world: World
  readonly #ctx: PartitionContext
  readonly #owned = new Map<number, Owned>()
  #session: LockSession | undefined
  #isLeaving = false

  constructor(world: World, name: string) {
    this.#world = world
    this.process = new SimProcess(name, world.timeline, world.wall)
    const { process } = this
    const random = world.randomOf(`${name} digest`)
    const sleep: Sleep = (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve()
          return
        }
        const end = () => {
          cancel()
          signal.removeEventListener('abort', end)
          resolve()
        }
        const cancel = process.after(ms, end)
        signal.addEventListener('abort', end)
      })
    this.#ctx = {
      ranges: simRangeStore(process, world.links.postgres, world.ranges),
      rows: simRowStore(process, world.links.clickhouse, {
        clickhouse: world.clickhouse,
        random,
      }),
      digest: async (input) => {
        await process.sleep(random.spread(0.5, 5))
        if (random.chance(world.digestDeathShare) || holdsPoison(input)) {
          throw new Error('the thread died')
        }
        const output = digestRange(input)
        return { ...output, deadLetters: ownDeadLetters(output.deadLetters) }
      },
      clock: process.clock,
      sleep,
      log: silentLogger(process) as unknown as Logger,
      metrics: silentMetrics as WorkerMetrics,
      retentionDays: 30,
      layout: world.scenario.layout,
    }
    process.every(maintenanceMs, () => this.#checkStreams())
    process.every(maintenanceMs, () => this.#purge())
    process.after(0, () => {
      void this.#tick().then(() => process.every(tickMs, () => this.#tick()))
    })
    const connection = world.connect(process)
    connection.onReconnect = () => {
      this.#checkStreams().catch((error: unknown) => process.note(`check failed: ${error}`))
    }
  }

  async drain(): Promise<void> {
    this.#isLeaving = true
    await Promise.all([...this.#owned.keys()].map((partition) => this.#end(partition)))
  }

  async #tick(): Promise<void> {
    if (this.#isLeaving) return
    const { locks, links, timeline } = this.#world
    try {
      const session = this.#session ?? (await this.#connect())
      const move = await links.postgres.call(this.process, 'read the locks', () => {
        session.seenAtMs = timeline.nowMs
        for (const other of locks.holders()) {
          if (timeline.nowMs - other.seenAtMs > silentMs) locks.end(other)
        }
        return planShare({
          layout: this.#world.scenario.layout,
          self: this.process.name,
          workers: locks.holders().map((each) => ({
            id: each.process.name,
            owned: [...each.held],
          })),
        })
      })
      for (const partition of move.release) await this.#release(partition)
      let claimsLeft = move.claimsMax
      for (const partition of move.claim) {
        if (claimsLeft === 0) break
        const isOurs = await links.postgres.call(this.process, `lock ${partition}`, () =>
          locks.tryLock(session, partition),
        )
        if (!isOurs) continue
        claimsLeft -= 1
        this.#begin(session, partition)
      }
    } catch (error) {
      this.process.note(`tick failed: ${String(error)}`)
      if (this.#session !== undefined) locks.end(this.#session)
    }
  }

  async #connect(): Promise<LockSession> {
    const { locks, links } = this.#world
    const session = await links.postgres.call(this.process, 'connect', () =>
      locks.open(this.process),
    )
    session.seenAtMs = this.#world.timeline.nowMs
    this.#session = session
    session.onLost = () => {
      if (this.#session === session) this.#session = undefined
      for (const partition of [...this.#owned.keys()]) void this.#end(partition)
    }
    if (!session.isOpen) session.onLost()
    return session
  }

  #begin(session: LockSession, partition: number): void {
    const { broker } = this.#world
    const before = this.#owned.get(partition)?.work ?? Promise.resolve()
    const digest = new PartitionDigest(this.#ctx, {
      partition,
      readStream: () => this.#readStream(partition),
      rangeIntervalMs: () => 1_000,
      openLog: (afterSeq) => new SimLogReader(this.process, broker, { partition, afterSeq }),
    })
    const work = before
      .then(() => digest.run())
      .then((end) => {
        this.process.note(`partition ${partition} ${end}`)
        if (this.#owned.get(partition) === owned) this.#owned.delete(partition)
        // A partition that is stopped on purpose is unlocked by the caller, if it still holds the
        // lock.
        if (!owned.isStopped) void this.#unlock(session, partition)
      })
    const owned: Owned = { digest, work, session, isStopped: false }
    this.#owned.set(partition, owned)
  }

  async #end(partition: number): Promise<void> {
    const owned = this.#owned.get(partition)
    if (owned === undefined) return
    owned.isStopped = true
    await owned.digest.stop()
    await owned.work
  }

  async #release(partition: number): Promise<void> {
    const owned = this.#owned.get(partition)
    if (owned === undefined) return
    await this.#end(partition)
    await this.#unlock(owned.session, partition)
  }

  async #unlock(session: LockSession, partition: number): Promise<void> {
    const { locks, links } = this.#world
    try {
      await links.postgres.call(this.process, `unlock ${partition}`, () =>
        locks.unlock(session, partition),
      )
    } catch (error) {
      // It is unknown whether the lock was released; closing the connection releases it.
      this.process.note(`unlock failed: ${String(error)}`)
      locks.end(session)
    }
  }

  /**
   * Takes over again, as the product does, when the stream was recreated or is shorter than what
   * was read.
   */
  async #checkStreams(): Promise<void> {
    const before = [...this.#owned].map(
      ([partition, { digest }]) => [partition, digest, digest.reading] as const,
    )
    for (const [partition, digest, relied] of before) {
      if (relied === undefined) continue
      const stream = await this.#readStream(partition)
      if (relied.incarnation === stream.createdAt && relied.neededSeq <= stream.lastSeq) continue
      if (this.#owned.get(partition)?.digest !== digest) continue
      this.process.note(`partition ${partition} reads another stream`)
      await this.#release(partition)
    }
  }

  /** Each stream is purged by one process, the owner of its first partition. */
  async #purge(): Promise<void> {
    for (let index = 0; index < this.#world.scenario.layout.streams; index += 1) {
      if (this.#owned.has(index)) await simPurge(this.process, this.#world, index)
    }
  }

  #readStream(partition: number) {
    return this.#world.askBroker(this.process, `read the stream of ${partition}`, (broker) =>
      broker.describe(partition),
    )
  }
}

/** Whether the range holds a record that kills the thread that reads it. */
function holdsPoison({ frames, setAside }: RangeInput): boolean {
  const spared = new Set(setAside)
  return frames.some(({ bytes }, frameIndex) =>
    decodeRecords(decodeFrame(bytes)).some(({ payload }, recordIndex) => {
      const isPoison = Buffer.from(payload).includes(poisonMark)
      return isPoison && !spared.has(recordOrdinal(frameIndex, recordIndex))
    }),
  )
}
