import type { Clock } from '#platform/clock.ts'
import type { IsTrustedProxy } from '#platform/http/forwarded-address.ts'
import type { EventId } from '#schemas/ids.ts'
import type { AttachmentKeeper } from './attachments/attachment-keeper.ts'
import type { InflateQueue } from './body/inflate-queue.ts'
import type { ReleasedIds } from './dedup/released-ids.ts'
import type { FrameBatcher } from './frames/frame-batcher.ts'
import type { FrameCourier } from './frames/frame-courier.ts'
import type { RequestLoad } from './intake/request-load.ts'
import type { SdkNames } from './intake/sdk-names.ts'
import type { UnsupportedTypes } from './intake/unsupported-types.ts'
import type { KeyCache } from './keys/key-cache.ts'
import type { KeyUsage } from './keys/key-usage.ts'
import type { QuotaBook } from './quota/quota-book.ts'
import type { OutcomeTally } from './records/outcome-tally.ts'
import type { RecordHeaders } from './records/record-headers.ts'
import type { WalKeeper } from './wal/wal-keeper.ts'
import type { WriteAheadLog } from './wal/write-ahead-log.ts'

/** The dependencies of a request. One per process. */
export interface IngestContext {
  readonly clock: Clock
  readonly keys: KeyCache
  readonly keyUsage: KeyUsage
  readonly quota: QuotaBook
  readonly releasedIds: ReleasedIds
  readonly load: RequestLoad
  readonly inflater: InflateQueue
  readonly batcher: FrameBatcher
  readonly courier: FrameCourier
  readonly wal: WriteAheadLog | undefined
  readonly walKeeper: WalKeeper | undefined
  readonly tally: OutcomeTally
  readonly unsupportedTypes: UnsupportedTypes
  readonly sdkNames: SdkNames
  readonly recordHeaders: RecordHeaders
  /** Undefined: no attachment can be kept. */
  readonly attachments: AttachmentKeeper | undefined
  /** Whether a peer is a proxy whose `X-Forwarded-For` is trusted. */
  readonly isTrustedProxy: IsTrustedProxy
  readonly newEventId: () => EventId
  /** Called when a request failed because of an internal error. */
  onError(error: unknown): void
}
