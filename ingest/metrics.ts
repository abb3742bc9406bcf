/** Counters of the process in the Prometheus format. They are plain numbers while requests run, and are read on a scrape. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { IngestContext } from './context.ts'

export class IngestMetrics {
  readonly registry = new Registry()
  readonly #replies = new Map<number, number>()

  /** Default metrics watch the event loop; a test has no use for that. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry })
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
    this.#count('ingest_frames_acknowledged_total', 'Frames that the bus has stored.', () => {
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
    this.#gauge('ingest_requests_pending', 'Requests without an answer yet.', () => {
      return ctx.load.requestCount
    })
    this.#gauge('ingest_body_bytes_buffered', 'Memory held by bodies being received.', () => {
      return ctx.load.bufferedBytes
    })
  }

  countReply(status: number): void {
    this.#replies.set(status, (this.#replies.get(status) ?? 0) + 1)
  }

  text(): Promise<string> {
    return this.registry.metrics()
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
