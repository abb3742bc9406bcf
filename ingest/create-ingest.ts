/** Wires the parts of ingest that need no socket. Drivers are passed in. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '#platform/clock.ts'
import type { IsTrustedProxy } from '#platform/http/forwarded-address.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { EventId } from '#schemas/ids.ts'
import { AttachmentKeeper } from './attachments/attachment-keeper.ts'
import type { ByteQuota } from './attachments/byte-quota.ts'
import { InflateQueue } from './body/inflate-queue.ts'
import type { IngestContext } from './context.ts'
import { ReleasedIds } from './dedup/released-ids.ts'
import { FrameBatcher } from './frames/frame-batcher.ts'
import { FrameCourier } from './frames/frame-courier.ts'
import type { Durability, FrameAnswer, FrameTransport } from './frames/frame-transport.ts'
import { RequestLoad } from './intake/request-load.ts'
import { SdkNames } from './intake/sdk-names.ts'
import { UnsupportedTypes } from './intake/unsupported-types.ts'
import { KeyCache, type KeyStore } from './keys/key-cache.ts'
import { KeyUsage } from './keys/key-usage.ts'
import { QuotaBook } from './quota/quota-book.ts'
import type { QuotaStore } from './quota/quota-store.ts'
import { OutcomeTally } from './records/outcome-tally.ts'
import { RecordHeaders } from './records/record-headers.ts'
import type { DeliverySource } from './wal/delivery-source.ts'
import { WalKeeper, type WalNotification } from './wal/wal-keeper.ts'
import type { WalFolder, WalStore } from './wal/wal-store.ts'
import { WriteAheadLog } from './wal/write-ahead-log.ts'

export interface IngestOptions {
  readonly clock: Clock
  /**
   * 32 lowercase hex digits, new at every start, so that counters may start again at the first one.
   */
  readonly instanceId: string
  /** Installation mark of the frames (schemas/bus/frame.ts); 0 when omitted. */
  readonly installationMark?: number
  readonly durability: Durability
  /**
   * Undefined if there is no write-ahead log; requests then wait only for the broker's
   * acknowledgement.
   */
  readonly delivery: DeliveryOptions | undefined
  readonly keyStore: KeyStore
  readonly quotaStore: QuotaStore
  readonly transport: FrameTransport
  /** The partitions to which records are assigned. */
  readonly layout: Pick<IngestLayout, 'first' | 'partitions'>
  readonly ackTimeoutMs: number
  readonly isTrustedProxy: IsTrustedProxy
  /** Defaults to the system's: randomness, the end of an event-loop turn, and waiting. */
  readonly randomBytes?: (length: number) => Buffer
  readonly atTurnEnd?: (flush: () => void) => void
  readonly sleep?: (ms: number) => Promise<void>
  /** Undefined: no attachment can be kept. */
  readonly attachments?: {
    readonly store: ObjectStore
    readonly quota: ByteQuota
    onTrouble(error: unknown): void
  }
  onTrouble(answer: FrameAnswer): void
  onError(error: unknown): void
  /** As in `QuotaBookOptions`. */
  hearsLimitChanges?(): boolean
  /** Called when Postgres stops answering for quota, and when it answers again. */
  onQuotaTurn?(isAway: boolean, error: unknown): void
}

export interface DeliveryOptions {
  readonly store: WalStore
  /** The folder that the store created for this instance. */
  readonly folder: WalFolder
  readonly source: DeliverySource
  readonly logBytesMax: number
  onNotification(notification: WalNotification): void
  /** Called when a write to the log, or reading the delivery state, failed. It is retried. */
  onError(error: unknown): void
}

/** Each may grow to the maximum size of an envelope. */
const inflationsMax = 2

export function createIngest(options: IngestOptions): IngestContext {
  const { clock, instanceId, delivery, atTurnEnd = setImmediate } = options
  const random = options.randomBytes ?? randomBytes
  const wal =
    delivery &&
    new WriteAheadLog({
      ...delivery,
      clock,
      bytesMax: delivery.logBytesMax,
      sleep: options.sleep ?? setTimeout,
      onDropped: ({ bytes }) => delivery.onNotification({ kind: 'dropped', instanceId, bytes }),
    })
  const courier = new FrameCourier({
    ...options,
    wal,
    onPassed: (frame, isReusable) => batcher.pass(frame, isReusable),
  })
  const walKeeper =
    delivery && wal && new WalKeeper({ ...delivery, clock, instanceId, own: wal, taker: courier })
  const tally = new OutcomeTally()
  const recordHeaders = new RecordHeaders()
  const batcher = new FrameBatcher({
    instanceId,
    installationMark: options.installationMark ?? 0,
    layout: options.layout,
    send: (frame) => courier.send(frame),
    beforeFlush: () => appendOutcomes({ tally, batcher, recordHeaders, clock }, random),
    atTurnEnd,
  })
  return {
    clock,
    keys: new KeyCache(options.keyStore, clock),
    keyUsage: new KeyUsage(),
    quota: new QuotaBook({
      clock,
      store: options.quotaStore,
      instanceId,
      hearsChanges: () => options.hearsLimitChanges?.() ?? false,
      onTurn: (isAway, error) => options.onQuotaTurn?.(isAway, error),
    }),
    releasedIds: new ReleasedIds({ monotonicMs: () => clock.monotonicMs() }),
    load: new RequestLoad(clock),
    inflater: new InflateQueue(inflationsMax),
    batcher,
    courier,
    wal,
    walKeeper,
    tally,
    unsupportedTypes: new UnsupportedTypes(),
    sdkNames: new SdkNames(),
    recordHeaders,
    attachments: options.attachments && new AttachmentKeeper({ ...options.attachments, clock }),
    isTrustedProxy: options.isTrustedProxy,
    newEventId: () => random(16).toString('hex') as EventId,
    onError: (error) => options.onError(error),
  }
}

function appendOutcomes(
  {
    tally,
    batcher,
    recordHeaders,
    clock,
  }: Pick<IngestContext, 'tally' | 'batcher' | 'recordHeaders' | 'clock'>,
  random: (length: number) => Buffer,
): void {
  if (tally.isEmpty) return
  for (const { projectId, keyNo, component, sdk, counts, waiters } of tally.take()) {
    const record = {
      kind: 'outcomes',
      projectId,
      dsnKeyNo: keyNo,
      receivedAtMs: clock.nowMs(),
      recordId: random(16),
      headerJson: recordHeaders.json(component, '', sdk, undefined),
      payload: Buffer.from(JSON.stringify(counts)),
    } as const
    batcher.appendFor(record, waiters)
  }
}
