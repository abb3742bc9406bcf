/** What a range adds to metrics and log: when it is taken in hand, and when it is committed. */
import type { Logger } from '#platform/logger.ts'
import type { RangeOutput } from './digest/range.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { CommitResult } from './partitions/ports.ts'
import type { RangeInHand } from './partitions/range-in-hand.ts'

interface Reporting {
  readonly metrics: WorkerMetrics
  readonly log: Logger
}

/** Foreign frames that are named in one log line. */
const foreignLoggedMax = 10

/** Frames of the range that are not digested. */
export function reportFrames(
  range: Pick<RangeInHand, 'repeatedCount' | 'refusedCount' | 'foreign'>,
  { partition, metrics, log }: Reporting & { readonly partition: number },
): void {
  metrics.framesRepeated.inc(range.repeatedCount)
  metrics.framesRefused.inc(range.refusedCount)
  metrics.framesForeign.inc(range.foreign.length)
  if (range.foreign.length > 0) {
    log.error(
      {
        code: 'frames_foreign',
        partition,
        frameCount: range.foreign.length,
        frames: range.foreign.slice(0, foreignLoggedMax),
      },
      'The stream contains frames of another installation. They are not digested here; their ingest keeps them in its write-ahead log.',
    )
  }
  if (range.refusedCount > 0) {
    log.error(
      { code: 'frames_refused', partition, frameCount: range.refusedCount },
      'Frames were skipped because their ingest instance has too many gaps in its frame numbers. Ingest will resend them.',
    )
  }
}

export function reportCommit(
  output: RangeOutput,
  result: CommitResult,
  { metrics, log }: Reporting,
): void {
  const { firedRules, monitors } = result
  for (const { quantity, ...labels } of output.dropped) metrics.itemsDropped.inc(labels, quantity)
  metrics.eventsDigested.inc(output.eventCount)
  metrics.window.duplicates.inc(output.duplicateCount)
  metrics.issuesCreated.inc(result.newIssues)
  metrics.issuesRegressed.inc(result.regressedIssues)
  metrics.issuesEscalated.inc(result.escalatedIssues ?? 0)
  metrics.issuesReturned.inc(result.returnedIssues ?? 0)
  metrics.alertRulesFired.inc(firedRules ?? 0)
  metrics.alertEventsSkipped.inc(output.alertEventsSkipped)
  metrics.monitorFailures.inc(monitors?.failures ?? 0)
  for (const reason of monitors?.refusals ?? []) {
    metrics.checkInsRefused.inc({ reason })
    metrics.itemsDropped.inc({ outcome: 'rejected', reason })
  }
  for (const { projectId, reason, detail } of output.deadLetters) {
    log.error(
      { code: 'dead_letter', projectId, reason, detail },
      'A record could not be digested. It was stored in dead_letters.',
    )
  }
}
