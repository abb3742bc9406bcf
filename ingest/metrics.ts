/**
 * Metrics of the process in the Prometheus format. They are plain numbers that are read on each
 * scrape.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { counter, gauge } from '#platform/metrics/create-metric.ts'
import { ingestMetrics } from '#schemas/metrics/ingest-metrics.ts'
import type { CounterDefinition, GaugeDefinition } from '#schemas/metrics/metric-definition.ts'
import type { IngestContext } from './context.ts'

type Unlabelled = { readonly labels: readonly [] }

export class IngestMetrics {
  readonly registry = new Registry()
  /** Failures exist from the start, so that the first of them is an increase. */
  readonly #replies = new Map([
    [500, 0],
    [503, 0],
  ])

  /** Default metrics observe the event loop, which tests do not need. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry })
  }

  watchWals(store: { readonly leftAloneCount: number }): void {
    this.#gauge(ingestMetrics.logsLeftAlone, () => store.leftAloneCount)
  }

  /** @param logBytesMax maximum bytes of the write-ahead log of this process */
  watch(ctx: IngestContext, logBytesMax = 0): void {
    counter(this.registry, ingestMetrics.replies, (replies) => {
      for (const [status, count] of this.#replies) replies.inc({ status }, count)
    })
    this.#watchCourier(ctx)
    this.#watchLog(ctx, logBytesMax)
    this.#watchQuota(ctx)
    this.#gauge(ingestMetrics.requestsPending, () => ctx.load.requestCount)
    this.#gauge(ingestMetrics.bodyBytesBuffered, () => ctx.load.bufferedBytes)
    this.#gauge(ingestMetrics.releasedIdsBytes, () => ctx.releasedIds.byteLength)
  }

  countReply(status: number): void {
    this.#replies.set(status, (this.#replies.get(status) ?? 0) + 1)
  }

  #watchCourier({ courier }: IngestContext): void {
    this.#count(ingestMetrics.framesAcknowledged, () => courier.framesAcknowledged)
    this.#count(ingestMetrics.framesSentAgain, () => courier.framesSentAgain)
    this.#gauge(ingestMetrics.framesInFlight, () => courier.frameCount)
    this.#gauge(ingestMetrics.frameBytesInFlight, () => courier.byteCount)
    this.#gauge(ingestMetrics.brokerAway, () => (courier.isAway ? 1 : 0))
  }

  #watchLog({ wal, walKeeper, clock }: IngestContext, logBytesMax: number): void {
    this.#gauge(ingestMetrics.logBytes, () => wal?.byteCount ?? 0)
    this.#gauge(ingestMetrics.logLimitBytes, () => logBytesMax)
    this.#gauge(ingestMetrics.logOldestFrame, () => {
      const nowMs = clock.monotonicMs()
      const own = wal?.oldestFrameSinceMs ?? nowMs
      const adopted = walKeeper?.oldestAdoptedSinceMs ?? nowMs
      return Math.max(0, nowMs - Math.min(own, adopted)) / 1000
    })
    this.#count(ingestMetrics.logErrors, () => wal?.writesFailed ?? 0)
    this.#count(ingestMetrics.logSegmentsDropped, () => wal?.segmentsDropped ?? 0)
    this.#count(ingestMetrics.framesFromLog, () => walKeeper?.framesSentFromLog ?? 0)
    this.#count(ingestMetrics.framesForgotten, () => walKeeper?.framesForgotten ?? 0)
    this.#gauge(ingestMetrics.logsAdopted, () => walKeeper?.adoptedCount ?? 0)
  }

  #watchQuota({ quota }: IngestContext): void {
    this.#gauge(ingestMetrics.quotaAway, () => (quota.isAway ? 1 : 0))
    this.#gauge(ingestMetrics.quotaRequestsWaiting, () => quota.waiterCount)
    this.#count(ingestMetrics.quotaUnleased, () => quota.eventsUnleased)
  }

  #count(definition: CounterDefinition & Unlabelled, read: () => number): void {
    counter(this.registry, definition, (created) => created.inc(read()))
  }

  #gauge(definition: GaugeDefinition & Unlabelled, read: () => number): void {
    gauge(this.registry, definition, (created) => created.set(read()))
  }
}
