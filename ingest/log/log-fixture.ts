/** For tests: one ingest process with its log, its keeper and a broker that says only what the test lets it say. */
import { setImmediate as turn } from 'node:timers/promises'
import { decodeFrame, FrameWriter, frameId } from '#schemas/bus/frame.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import type { FrameWaiter, SealedFrame } from '../frames/frame-batcher.ts'
import { type Durability, type FrameAnswer, FrameCourier } from '../frames/frame-courier.ts'
import type { DeliveryState } from './delivery-source.ts'
import { FrameLog } from './frame-log.ts'
import { LogKeeper, type LogNotice } from './log-keeper.ts'
import { MemoryLogStore } from './memory-log-store.ts'

export const bootA = 'aa'.repeat(16)
export const bootB = 'bb'.repeat(16)

export function frame(bootId: string, counter: number, waiter?: FrameWaiter): SealedFrame {
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
  const number = { bootId, partition: 0, counter }
  waiter?.hold()
  return {
    ...number,
    id: frameId(number),
    bytes: writer.finish(number),
    waiters: waiter === undefined ? [] : [waiter],
  }
}

export class Waiter implements FrameWaiter {
  holds = 0
  expired = 0
  hold() {
    this.holds += 1
  }
  release() {
    this.holds -= 1
  }
  expire() {
    this.expired += 1
  }
}

export async function startProcess(
  bootId: string,
  disk = new MemoryLogStore(),
  { durability = 'log', bytesMax = 1024 ** 2 }: { durability?: Durability; bytesMax?: number } = {},
) {
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  const sent: { id: string; counter: number; token: number }[] = []
  const notices: LogNotice[] = []
  const settled: string[] = []
  const transport = {
    up: true,
    isConnected: () => transport.up,
    send: ({ id, bytes }: SealedFrame, token: number) => {
      sent.push({ id, counter: decodeFrame(bytes).counter, token })
    },
  }
  const state: { -readonly [Key in keyof DeliveryState]: DeliveryState[Key] } = {
    digested: [],
    committedSeqs: new Map(),
  }
  /** Of the bus. */
  let lastSeq = 0
  const folder = await disk.create(bootId)
  const log = new FrameLog({
    folder,
    clock,
    bytesMax,
    sleep: async () => {},
    onDropped() {},
    onError() {},
  })
  const courier = new FrameCourier({
    clock,
    transport,
    durability,
    log,
    ackTimeoutMs: 10_000,
    onPassed() {},
    onTrouble() {},
  })
  const keeper = new LogKeeper({
    clock,
    bootId,
    own: log,
    store: disk,
    source: {
      read: async () => state,
      lastSeqs: async () => new Map([[0, lastSeq]]),
      settleBoot: async (deadBootId) => void settled.push(deadBootId),
    },
    taker: courier,
    onNotice: (notice) => notices.push(notice),
    onError: (error) => {
      throw error
    },
  })
  const stored = (seq: number): FrameAnswer => ({ kind: 'stored', seq, isDuplicate: false })
  /** Lets so much time pass, in steps that let every promise go on. */
  const pass = async (ms: number) => {
    for (let step = 0; step < ms; step += 250) {
      clock.ms += 250
      courier.sweep()
      keeper.tick()
      for (let turns = 0; turns < 20; turns += 1) await turn()
    }
  }
  const digest = (contiguous: number, seq: number, ahead: number[] = [], boot = bootId) => {
    state.digested = [{ bootId: boot, partition: 0, contiguous, ahead }]
    state.committedSeqs = new Map([[0, seq]])
  }
  const endAt = (seq: number) => {
    lastSeq = seq
  }
  const acknowledge = (counter: number, seq: number) => {
    const last = sent.filter((one) => one.counter === counter).at(-1)
    if (last === undefined) throw new Error(`frame ${counter} was not sent`)
    lastSeq = Math.max(seq, lastSeq)
    courier.receive(last.token, stored(seq))
  }
  return {
    disk,
    clock,
    sent,
    notices,
    settled,
    transport,
    state,
    log,
    courier,
    keeper,
    pass,
    digest,
    acknowledge,
    endAt,
  }
}
