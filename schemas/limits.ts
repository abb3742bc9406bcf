/**
 * The bounds that several parts share; one that a single file needs stands in that file. A relation
 * between two bounds is asserted beside them, so that a change which breaks it fails when the
 * process starts and not under load.
 */
import assert from 'node:assert'

export const KiB = 1024
export const MiB = 1024 * KiB

/** One `event` item, after decompression (ingest-api: Limits; the protocol's own cap). */
export const eventBytesMax = 1 * MiB
/** A request body as it arrives, still compressed. */
export const requestBytesMax = 20 * MiB
/** A request body after decompression. */
export const envelopeBytesMax = 50 * MiB
/** Items in one envelope, of any kind. */
export const itemsPerEnvelopeMax = 1000
/** The envelope's header line, and each item's. */
export const headerLineBytesMax = 16 * KiB
/** `session` and `sessions` items in one envelope, together. */
export const sessionItemsPerEnvelopeMax = 100
export const sessionItemBytesMax = 1 * MiB
export const checkInBytesMax = 100 * KiB
export const clientReportBytesMax = 100 * KiB
/** Reports of a browser in one request; each becomes an event. */
export const securityReportsPerRequestMax = 100

/** Levels of nesting in an event's JSON; deeper events are rejected as `too_deep`. */
export const jsonDepthMax = 64
/**
 * Keys in an event's JSON, at every level together. Thread dumps of large Java programs have tens
 * of thousands.
 */
export const jsonKeysMax = 60_000
/** Bodies being received or waiting for the bus, over all requests of one ingest process. */
export const bufferedBytesMax = 128 * MiB
/** Requests of one ingest process that wait for an answer. */
export const pendingRequestsMax = 20_000

/** Records of one frame, before the next frame is begun. */
export const recordsPerFrameMax = 512
/** A frame is closed as soon as it has grown past this. */
export const frameBytesTarget = 64 * KiB
/** A record's own JSON header. */
export const recordHeaderBytesMax = 4 * KiB
/** One message on the bus. NATS must be configured with `max_payload` of at least this. */
export const busMessageBytesMax = 4 * MiB
/** Frames published and not yet acknowledged, per ingest process. */
export const framesInFlightMax = 4096
export const frameBytesInFlightMax = 64 * MiB

/** One file of ingest's write-ahead log. */
export const logSegmentBytesMax = 16 * MiB
/**
 * Time within which two records of one id are one (design: exactly once), by the time of receipt.
 */
export const dedupWindowMs = 24 * 3_600_000
/** Ids that one partition remembers; beyond, the window is shorter and says so. */
export const dedupIdsPerPartitionMax = 8 * 1024 * 1024

/** Units of one quota lease. */
export const quotaLeaseUnitsMax = 50_000
/** The longest wait that a refused client is asked for, so that a raised quota is felt soon. */
export const quotaRetryAfterSecondsMax = 60
/** Of its monthly limit, what each ingest process lets through unleased while Postgres is away. */
export const quotaAllowanceShare = 0.01

/** What a worker digests as one range of one partition. */
export const rangeBytesMax = 16 * MiB
export const rangeFramesMax = 4096

export const tagsPerEventMax = 100
export const framesPerStackMax = 250
export const exceptionsPerEventMax = 50
export const breadcrumbsPerEventMax = 100
/** The normalised event as stored. */
export const payloadBytesMax = 2 * MiB

export const listLimitDefault = 50
export const listLimitMax = 100
/** Requests a minute for one credential on the API (http-api: Conventions). */
export const apiRequestsPerMinuteMax = 300

assert(eventBytesMax + recordHeaderBytesMax + 64 * KiB <= busMessageBytesMax)
assert(frameBytesTarget + eventBytesMax + recordHeaderBytesMax + 64 * KiB <= busMessageBytesMax)
assert(requestBytesMax <= envelopeBytesMax)
assert(requestBytesMax <= bufferedBytesMax)
assert(busMessageBytesMax <= rangeBytesMax)
assert(busMessageBytesMax <= frameBytesInFlightMax)
