import type { MetricDefinitions } from './metric-definition.ts'

/** Metrics of an ingest process. */
export const ingestMetrics = {
  replies: {
    name: 'ingest_replies_total',
    type: 'counter',
    help: 'Requests answered, by HTTP status. SDKs do not resend after 5xx, so each 503 is a lost event.',
    labels: ['status'],
  },
  framesAcknowledged: {
    name: 'ingest_frames_acknowledged_total',
    type: 'counter',
    help: 'Frames (batches of records) that the broker acknowledged.',
    labels: [],
  },
  framesSentAgain: {
    name: 'ingest_frames_sent_again_total',
    type: 'counter',
    help: 'Frames sent more than once, because the broker did not acknowledge them in time. Workers drop the copies.',
    labels: [],
  },
  framesInFlight: {
    name: 'ingest_frames_in_flight',
    type: 'gauge',
    help: 'Frames not yet acknowledged by the broker. A high value means that the broker is slow or away.',
    labels: [],
  },
  frameBytesInFlight: {
    name: 'ingest_frame_bytes_in_flight',
    type: 'gauge',
    help: 'Bytes of frames not yet acknowledged by the broker, which are in memory.',
    labels: [],
  },
  brokerAway: {
    name: 'ingest_broker_away',
    type: 'gauge',
    help: '1 while the broker accepts no frames. Events are then kept in the write-ahead log.',
    labels: [],
  },
  logBytes: {
    name: 'ingest_log_bytes',
    type: 'gauge',
    help: 'Bytes of frames in the write-ahead log of this process. A high value means that the broker or the workers are behind.',
    labels: [],
  },
  logLimitBytes: {
    name: 'ingest_log_limit_bytes',
    type: 'gauge',
    help: 'Maximum bytes of the write-ahead log of this process (INGEST_LOG_BYTES_MAX). Once it is full, events are refused while the broker is away.',
    labels: [],
  },
  logOldestFrame: {
    name: 'ingest_log_oldest_frame_seconds',
    type: 'gauge',
    help: 'Age in seconds of the oldest segment of the write-ahead log that holds a frame which no worker has committed; 0 when the log is empty. Above a minute, frames are not being stored.',
    labels: [],
  },
  logErrors: {
    name: 'ingest_log_errors_total',
    type: 'counter',
    help: 'Failed writes to the write-ahead log. Any increase means that its disk fails or is full.',
    labels: [],
  },
  logSegmentsDropped: {
    name: 'ingest_log_segments_dropped_total',
    type: 'counter',
    help: 'Segments dropped from a full write-ahead log before a worker committed their frames. Only the broker has these frames then.',
    labels: [],
  },
  framesFromLog: {
    name: 'ingest_frames_from_log_total',
    type: 'counter',
    help: 'Frames sent from a write-ahead log on disk, after the broker was away or a process ended.',
    labels: [],
  },
  framesForgotten: {
    name: 'ingest_frames_forgotten_total',
    type: 'counter',
    help: 'Frames that the broker acknowledged and lost, and that were resent. Any increase means that the broker loses data.',
    labels: [],
  },
  logsAdopted: {
    name: 'ingest_logs_adopted',
    type: 'gauge',
    help: 'Write-ahead logs of ended processes whose frames this process is sending. It returns to 0 once they are stored.',
    labels: [],
  },
  logsLeftAlone: {
    name: 'ingest_logs_left_alone',
    type: 'gauge',
    help: 'Write-ahead logs of ended processes that are not adopted, because they belong to another installation.',
    labels: [],
    optional: 'only with a write-ahead log',
  },
  requestsPending: {
    name: 'ingest_requests_pending',
    type: 'gauge',
    help: 'Requests that are not answered yet.',
    labels: [],
  },
  bodyBytesBuffered: {
    name: 'ingest_body_bytes_buffered',
    type: 'gauge',
    help: 'Memory in bytes held by request bodies that are being received.',
    labels: [],
  },
  quotaAway: {
    name: 'ingest_quota_away',
    type: 'gauge',
    help: '1 while quota cannot be leased from Postgres. Events are then charged to the allowance for outages.',
    labels: [],
  },
  quotaRequestsWaiting: {
    name: 'ingest_quota_requests_waiting',
    type: 'gauge',
    help: 'Requests that wait for a quota lease.',
    labels: [],
  },
  quotaUnleased: {
    name: 'ingest_quota_unleased_total',
    type: 'counter',
    help: 'Events charged to the allowance for outages while Postgres was away.',
    labels: [],
  },
  releasedIdsBytes: {
    name: 'ingest_released_ids_bytes',
    type: 'gauge',
    help: 'Memory in bytes used by ids of recent events, which recognise duplicates.',
    labels: [],
  },
} as const satisfies MetricDefinitions
