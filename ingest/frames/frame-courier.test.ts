import { describe, expect, test } from 'vitest'
import { decodeFrame, decodeRecords } from '#schemas/bus/frame.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { framesInFlightMax, recordsPerFrameMax } from '#schemas/limits.ts'
import { FrameBatcher, type FrameWaiter, type SealedFrame } from './frame-batcher.ts'
import { FrameCourier } from './frame-courier.ts'

const storedAnswer = { kind: 'stored', seq: 1, isDuplicate: false } as const

class Waiter implements FrameWaiter {
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

function setUp(partitionCount = 2) {
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  const sent: { frame: SealedFrame; token: number }[] = []
  const transport = {
    up: true,
    isConnected: () => transport.up,
    // The bytes are written over once the frame is acknowledged.
    send: (frame: SealedFrame, token: number) =>
      void sent.push({ frame: { ...frame, bytes: Buffer.from(frame.bytes) }, token }),
  }
  const trouble: unknown[] = []
  const courier = new FrameCourier({
    clock,
    transport,
    ackTimeoutMs: 10_000,
    durability: 'broker',
    wal: undefined,
    onPassed: (frame, isReusable) => batcher.pass(frame, isReusable),
    onTrouble: (answer) => trouble.push(answer),
  })
  let flush = () => {}
  const batcher = new FrameBatcher({
    instanceId: 'ab'.repeat(16),
    layout: firstLayout({ partitions: partitionCount, streams: 1 }),
    send: (frame) => courier.send(frame),
    beforeFlush: () => {},
    atTurnEnd: (callback) => {
      flush = callback
    },
  })
  let lastId = 0
  const append = (waiter: FrameWaiter, bytes = 10) => {
    const recordId = Buffer.alloc(16)
    recordId.writeUInt32BE(++lastId, 0)
    batcher.append(
      {
        kind: 'event',
        projectId: 1 as ProjectId,
        dsnKeyNo: 1 as DsnKeyNo,
        receivedAtMs: 1,
        recordId,
        headerJson: '',
        payload: Buffer.alloc(bytes),
      },
      waiter,
    )
  }
  const acknowledgeAll = () => {
    for (const { token } of sent) courier.receive(token, storedAnswer)
  }
  return {
    clock,
    sent,
    transport,
    trouble,
    courier,
    batcher,
    append,
    acknowledgeAll,
    flush: () => flush(),
  }
}

describe('frames', () => {
  test('hold the records of a turn, one frame per partition, numbered without gaps', () => {
    const { append, flush, acknowledgeAll, sent } = setUp()
    for (let turn = 0; turn < 3; turn += 1) {
      for (let count = 0; count < 20; count += 1) append(new Waiter())
      flush()
      acknowledgeAll()
    }
    expect(sent).toHaveLength(6)
    for (const partition of [0, 1]) {
      const frames = sent.filter(({ frame }) => frame.partition === partition)
      expect(frames.map(({ frame }) => frame.counter)).toEqual([0, 1, 2])
      for (const { frame } of frames) {
        expect(frame.id).toBe(`${'ab'.repeat(16)}.${partition}.${frame.counter}`)
        expect(decodeFrame(frame.bytes)).toMatchObject({ partition, counter: frame.counter })
      }
    }
    const records = sent.flatMap(({ frame }) => decodeRecords(decodeFrame(frame.bytes)))
    expect(new Set(records.map((record) => record.recordId)).size).toBe(60)
  })

  test('of four partitions are in flight at a time, and the others get their turn', () => {
    const { append, flush, courier, sent } = setUp(16)
    const seen: number[] = []
    for (let count = 0; count < 400; count += 1) append(new Waiter())
    for (let turn = 0; turn < 4; turn += 1) {
      flush()
      const round = sent.splice(0)
      expect(round).toHaveLength(4)
      seen.push(...round.map(({ frame }) => frame.partition))
      for (const { token } of round) courier.receive(token, storedAnswer)
    }
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index))
    flush()
    expect(sent).toHaveLength(0)
  })

  test('that are not answered give up their slot at the second sweep', () => {
    const { append, flush, batcher, sent } = setUp(16)
    for (let count = 0; count < 400; count += 1) append(new Waiter())
    flush()
    batcher.sweep()
    flush()
    expect(sent).toHaveLength(4)
    batcher.sweep()
    flush()
    expect(sent).toHaveLength(8)
  })

  test('keep collecting while the previous frame is in flight', () => {
    const { append, flush, acknowledgeAll, sent } = setUp()
    for (let turn = 0; turn < 5; turn += 1) {
      for (let count = 0; count < 20; count += 1) append(new Waiter())
      flush()
    }
    expect(sent).toHaveLength(2)
    acknowledgeAll()
    flush()
    expect(sent).toHaveLength(4)
    const records = sent.flatMap(({ frame }) => decodeRecords(decodeFrame(frame.bytes)))
    expect(records).toHaveLength(100)
  })

  test('do not wait forever behind a frame that is not acknowledged', () => {
    const { append, flush, batcher, sent } = setUp()
    for (let turn = 0; turn < 2; turn += 1) {
      for (let count = 0; count < 20; count += 1) append(new Waiter())
      flush()
    }
    expect(sent).toHaveLength(2)
    batcher.flush()
    expect(sent).toHaveLength(4)
  })

  test('are sealed before they exceed their bounds', () => {
    const { append, sent } = setUp()
    for (let count = 0; count < recordsPerFrameMax * 4; count += 1) append(new Waiter(), 0)
    expect(sent.length).toBeGreaterThanOrEqual(2)
    append(new Waiter(), 1024 * 1024)
    expect(sent.at(-1)!.frame.bytes.length).toBeGreaterThan(1024 * 1024)
  })

  test('release a request when all of its frames are acknowledged, in any order', () => {
    const { append, flush, sent, courier } = setUp()
    const waiter = new Waiter()
    for (let count = 0; count < 20; count += 1) append(waiter)
    flush()
    expect(waiter.holds).toBe(2)
    courier.receive(sent[1]!.token, storedAnswer)
    expect(waiter.holds).toBe(1)
    courier.receive(sent[1]!.token, storedAnswer)
    expect(waiter.holds).toBe(1)
    courier.receive(sent[0]!.token, storedAnswer)
    expect(waiter.holds).toBe(0)
    expect(courier.frameCount).toBe(0)
    expect(courier.byteCount).toBe(0)
  })
})

describe('an unacknowledged frame', () => {
  function one() {
    const parts = setUp()
    const waiter = new Waiter()
    parts.append(waiter)
    parts.flush()
    return { ...parts, waiter }
  }

  // biome-ignore format: the columns are the point
  test.each([
    ['the broker refuses it  ', { kind: 'refused', code: 503, description: 'maximum bytes exceeded' }],
    ['no stream receives it  ', { kind: 'no_responders' }],
  ] as const)('is resent unchanged after a pause when %s', (_name, answer) => {
    const { clock, courier, sent, trouble, waiter } = one()
    courier.receive(sent[0]!.token, answer)
    expect(trouble).toEqual([answer])
    courier.sweep()
    expect(sent).toHaveLength(1)
    clock.ms = 500
    courier.sweep()
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
    expect(waiter.holds).toBe(1)
  })

  test('is resent when no answer arrives', () => {
    const { clock, courier, sent } = one()
    clock.ms = 1_999
    courier.sweep()
    expect(sent).toHaveLength(1)
    clock.ms = 2_000
    courier.sweep()
    expect(sent).toHaveLength(2)
  })

  test('answers its requests once after the timeout, and is still delivered', () => {
    const { clock, courier, sent, waiter } = one()
    clock.ms = 10_000
    courier.sweep()
    courier.sweep()
    expect(waiter.expired).toBe(1)
    expect(courier.frameCount).toBe(1)
    clock.ms = 60_000
    courier.sweep()
    courier.receive(sent.at(-1)!.token, storedAnswer)
    expect(courier.frameCount).toBe(0)
  })

  test('waits while the connection is down, and is sent first when it is restored', () => {
    const { clock, courier, sent, transport, append, flush } = one()
    transport.up = false
    append(new Waiter())
    flush()
    clock.ms = 30_000
    courier.sweep()
    expect(sent).toHaveLength(1)
    transport.up = true
    courier.resendAll()
    expect(sent.slice(1).map(({ token }) => token)).toEqual([1, 2])
  })
})

test('the window is full at its bound of frames', () => {
  const { append, batcher, courier, sent } = setUp()
  while (!courier.isFull) {
    append(new Waiter())
    batcher.flush()
  }
  expect(courier.frameCount).toBe(framesInFlightMax)
  courier.receive(sent[0]!.token, storedAnswer)
  expect(courier.isFull).toBe(false)
})

test('a late refusal of a completed frame has no effect, and an idle broker counts as available', () => {
  const { append, flush, sent, courier } = setUp()
  append(new Waiter())
  flush()
  courier.receive(sent[0]!.token, { kind: 'no_responders' })
  expect(courier.isAway).toBe(true)
  courier.receive(sent[0]!.token, storedAnswer)
  courier.receive(sent[0]!.token, { kind: 'no_responders' })
  expect(courier.isAway).toBe(false)
})
