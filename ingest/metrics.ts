/**
 * Metrics of the process in the Prometheus format. They are plain numbers that are read on each
 * scrape.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { IngestContext } from './context.ts'

export class IngestMetrics {
  readonly registry = new Registry()
  readonly #replies = new Map<number, number>()

  /** Default metrics observe the event loop, which tests do not need. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry })
  }

  watchWals(store: { readonly leftAloneCount: number }): void {
    this.#gauge(
      'ingest_logs_left_alone',
      'Write-ahead logs of dead processes that are not adopted, because they belong to another installation.',
      () => store.leftAloneCount,
    )
  }

  watch(ctx: IngestContext): void {
    const replies = this.#replies
    new Counter({
      name: 'ingest_replies_total',
      help: 'Requests answered, by status.',
      labelNames: ['status'],
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [status, count] of replies) this.inc({ status }, count)
      },
    })
    this.#count('ingest_frames_acknowledged_total', 'Frames that the broker acknowledged.', () => {
      return ctx.courier.framesAcknowledged
    })
    this.#count('ingest_frames_sent_again_total', 'Frames sent more than once.', () => {
      return ctx.courier.framesSentAgain
    })
    this.#gauge('ingest_frames_in_flight', 'Frames not yet acknowledged.', () => {
      return ctx.courier.frameCount
    })
    this.#gauge('ingest_frame_bytes_in_flight', 'Bytes of frames not yet acknowledged.', () => {
      return ctx.courier.byteCount
    })
    this.#gauge('ingest_broker_away', '1 while the broker accepts no frames.', () => {
      return ctx.courier.isAway ? 1 : 0
    })
    this.#gauge(
      'ingest_log_bytes',
      'Bytes of frames in the write-ahead log of this process.',
      () => {
        return ctx.wal?.byteCount ?? 0
      },
    )
    this.#count('ingest_log_errors_total', 'Failed writes to the write-ahead log.', () => {
      return ctx.wal?.writesFailed ?? 0
    })
    this.#count(
      'ingest_log_segments_dropped_total',
      'Segments dropped from a full write-ahead log before their frames were committed.',
      () => ctx.wal?.segmentsDropped ?? 0,
    )
    this.#count('ingest_frames_from_log_total', 'Frames sent from a write-ahead log.', () => {
      return ctx.walKeeper?.framesSentFromLog ?? 0
    })
    this.#count(
      'ingest_frames_forgotten_total',
      'Frames that the broker acknowledged and lost, and that were resent.',
      () => ctx.walKeeper?.framesForgotten ?? 0,
    )
    this.#gauge(
      'ingest_logs_adopted',
      'Write-ahead logs of dead processes that are being sent.',
      () => {
        return ctx.walKeeper?.adoptedCount ?? 0
      },
    )
    this.#gauge('ingest_requests_pending', 'Requests that are not answered yet.', () => {
      return ctx.load.requestCount
    })
    this.#gauge('ingest_body_bytes_buffered', 'Memory held by bodies being received.', () => {
      return ctx.load.bufferedBytes
    })
    this.#gauge('ingest_quota_away', '1 while the quota cannot be leased from Postgres.', () => {
      return ctx.quota.isAway ? 1 : 0
    })
    this.#gauge('ingest_quota_requests_waiting', 'Requests that wait for quota.', () => {
      return ctx.quota.waiterCount
    })
    this.#count(
      'ingest_quota_unleased_total',
      'Events charged to the quota allowance while Postgres was away.',
      () => {
        return ctx.quota.eventsUnleased
      },
    )
    this.#gauge(
      'ingest_released_ids_bytes',
      'Memory used by ids of recent events, for deduplication.',
      () => {
        return ctx.releasedIds.byteLength
      },
    )
  }

  countReply(status: number): void {
    this.#replies.set(status, (this.#replies.get(status) ?? 0) + 1)
  }

  #count(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        counter.reset()
        counter.inc(read())
      },
    })
  }

  #gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        gauge.set(read())
      },
    })
  }
}
