/** Wires the parts of ingest that need no socket; the drivers come in from outside. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { BlockList } from 'node:net'
import type { Clock } from '#platform/clock.ts'
import { type EventId, undashed } from '#schemas/ids.ts'
import { InflateQueue } from './body/inflate-queue.ts'
import type { IngestContext } from './context.ts'
import { FrameBatcher } from './frames/frame-batcher.ts'
import { type FrameAnswer, FrameCourier, type FrameTransport } from './frames/frame-courier.ts'
import { OutcomeTally } from './intake/outcome-tally.ts'
import { RecordHeaders } from './intake/record-headers.ts'
import { RequestLoad } from './intake/request-load.ts'
import { UnsupportedTypes } from './intake/unsupported-types.ts'
import { KeyCache, type KeyStore } from './keys/key-cache.ts'
import { KeyUsage } from './keys/key-usage.ts'

export interface IngestOptions {
  readonly clock: Clock
  readonly keyStore: KeyStore
  readonly transport: FrameTransport
  readonly partitionCount: number
  readonly ackTimeoutMs: number
  readonly trustedProxies: BlockList
  onTrouble(answer: FrameAnswer): void
  onError(error: unknown): void
}

/** Each may grow to the cap of an envelope. */
const inflationsMax = 2

export function createIngest(options: IngestOptions): IngestContext {
  const { clock } = options
  const courier = new FrameCourier({
    ...options,
    onStored: (frame, attempts) => batcher.acknowledge(frame, attempts),
  })
  const tally = new OutcomeTally()
  const batcher = new FrameBatcher({
    // New at every start, so that counters may begin anew.
    bootId: randomBytes(16).toString('hex'),
    partitionCount: options.partitionCount,
    send: (frame) => courier.send(frame),
    beforeFlush: () => appendOutcomes(tally, batcher, clock),
    atTurnEnd: setImmediate,
  })
  return {
    clock,
    keys: new KeyCache(options.keyStore, clock),
    keyUsage: new KeyUsage(),
    load: new RequestLoad(clock),
    inflater: new InflateQueue(inflationsMax),
    batcher,
    courier,
    tally,
    unsupportedTypes: new UnsupportedTypes(),
    recordHeaders: new RecordHeaders(),
    trustedProxies: options.trustedProxies,
    newEventId: () => undashed(randomUUID()) as EventId,
    onError: (error) => options.onError(error),
  }
}

function appendOutcomes(tally: OutcomeTally, batcher: FrameBatcher, clock: Clock): void {
  if (tally.isEmpty) return
  for (const { projectId, keyNo, counts, waiters } of tally.take()) {
    const record = {
      kind: 'outcomes',
      projectId,
      dsnKeyNo: keyNo,
      receivedAtMs: clock.nowMs(),
      recordId: randomBytes(16),
      headerJson: '',
      payload: Buffer.from(JSON.stringify(counts)),
    } as const
    batcher.appendFor(record, waiters)
  }
}
