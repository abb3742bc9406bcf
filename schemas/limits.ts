/**
 * Limits that several parts share; a limit of one file is defined in that file. Relations between
 * limits are asserted next to them, so that an invalid change fails when a process starts, and not
 * under load.
 */
import assert from 'node:assert'

export const KiB = 1024
export const MiB = 1024 * KiB

/** One `event` item after decompression (the limit of the protocol). */
export const eventBytesMax = 1 * MiB
/** A request body as received, still compressed. */
export const requestBytesMax = 20 * MiB
/** A request body after decompression. */
export const envelopeBytesMax = 50 * MiB
/** Items in one envelope, of any kind. */
export const itemsPerEnvelopeMax = 1000
/** The envelope header line, and each item header. */
export const headerLineBytesMax = 16 * KiB
/** `session` and `sessions` items in one envelope, in total. */
export const sessionItemsPerEnvelopeMax = 100
export const sessionItemBytesMax = 1 * MiB
export const checkInBytesMax = 100 * KiB
export const clientReportBytesMax = 100 * KiB
/** Browser reports in one request; each becomes an event. */
export const securityReportsPerRequestMax = 100

/** One attachment of an event. */
export const attachmentBytesMax = 20 * MiB
/** Attachments of one event, and their bytes together. */
export const attachmentsPerEventMax = 20
export const attachmentBytesPerEventMax = 40 * MiB
/** Attachments of a project and day, unless the project has chosen another number. */
export const attachmentMegabytesPerDay = 1024
export const attachmentMegabytesPerDayMax = 1024 * 1024

/** Nesting depth of an event's JSON; deeper events are rejected as `too_deep`. */
export const jsonDepthMax = 64
/**
 * Keys in an event's JSON at all levels. Thread dumps of large Java programs have tens of
 * thousands.
 */
export const jsonKeysMax = 60_000
/** Bodies that are being received or wait for the bus, over all requests of one ingest process. */
export const bufferedBytesMax = 128 * MiB
/** Requests of one ingest process that wait for a response. */
export const pendingRequestsMax = 20_000

/** Records of one frame; further records start the next frame. */
export const recordsPerFrameMax = 512
/** A frame is closed when it exceeds this size. */
export const frameBytesTarget = 64 * KiB
/** The JSON header of a record. */
export const recordHeaderBytesMax = 4 * KiB
/** One message on the bus. `max_payload` of NATS must be at least this. */
export const busMessageBytesMax = 4 * MiB
/** Frames published and not yet acknowledged, per ingest process. */
export const framesInFlightMax = 4096
export const frameBytesInFlightMax = 64 * MiB

/** One file of ingest's write-ahead log. */
export const logSegmentBytesMax = 16 * MiB
/** Two records with the same id that are received within this time are one. */
export const dedupWindowMs = 24 * 3_600_000
/**
 * Ids that one partition keeps for deduplication. Beyond this number, the window is shorter, which
 * is logged.
 */
export const dedupIdsPerPartitionMax = 8 * 1024 * 1024

/** Events of one quota lease. */
export const quotaLeaseUnitsMax = 50_000
/** Maximum Retry-After for a client over quota, so that a raised quota takes effect soon. */
export const quotaRetryAfterSecondsMax = 60
/**
 * Share of the monthly limit that each ingest process accepts without a lease while Postgres is
 * unavailable.
 */
export const quotaAllowanceShare = 0.01

/** Size of a range, which a worker digests and commits as one. */
export const rangeBytesMax = 16 * MiB
export const rangeFramesMax = 4096

export const tagsPerEventMax = 100
export const framesPerStackMax = 250
export const exceptionsPerEventMax = 50
export const breadcrumbsPerEventMax = 100
/** A normalised event as stored. */
export const payloadBytesMax = 2 * MiB

export const listLimitDefault = 50
export const listLimitMax = 100
/** Requests per minute of one credential on the API. */
export const apiRequestsPerMinuteMax = 300

assert(eventBytesMax + recordHeaderBytesMax + 64 * KiB <= busMessageBytesMax)
assert(frameBytesTarget + eventBytesMax + recordHeaderBytesMax + 64 * KiB <= busMessageBytesMax)
assert(attachmentBytesMax <= attachmentBytesPerEventMax)
assert(attachmentBytesPerEventMax <= envelopeBytesMax)
assert(requestBytesMax <= envelopeBytesMax)
assert(requestBytesMax <= bufferedBytesMax)
assert(busMessageBytesMax <= rangeBytesMax)
assert(busMessageBytesMax <= frameBytesInFlightMax)
