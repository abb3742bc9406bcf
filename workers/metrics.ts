import type { Registry } from 'prom-client'
import { counter, createRegistry, gauge, histogram } from '#platform/metrics/create-metric.ts'
import { alertMetrics } from '#schemas/metrics/alert-metrics.ts'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import { deliveryMetrics } from '#schemas/metrics/delivery-metrics.ts'
import { upkeepMetrics } from '#schemas/metrics/upkeep-metrics.ts'
import { workerMetrics } from '#schemas/metrics/worker-metrics.ts'
import { WindowMetrics } from './dedup/window-metrics.ts'

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics() {
  const registry = createRegistry()
  return {
    registry,
    ...rangeMetrics(registry),
    ...partitionMetrics(registry),
    issuesCreated: counter(registry, workerMetrics.issuesCreated),
    issuesRegressed: counter(registry, workerMetrics.issuesRegressed),
    issuesEscalated: counter(registry, workerMetrics.issuesEscalated),
    issuesReturned: counter(registry, workerMetrics.issuesReturned),
    monitorFailures: counter(registry, workerMetrics.monitorFailures),
    checkInsRefused: counter(registry, workerMetrics.checkInsRefused),
    itemsDropped: counter(registry, workerMetrics.itemsDropped),
    deadLettersExpired: counter(registry, upkeepMetrics.deadLettersExpired),
    deadLetters: gauge(registry, upkeepMetrics.deadLetters),
    rowsExpired: counter(registry, upkeepMetrics.rowsExpired),
    tableRows: gauge(registry, upkeepMetrics.tableRows),
    deliveryAttempts: counter(registry, deliveryMetrics.attempts),
    alertRulesFired: counter(registry, alertMetrics.rulesFired),
    alertEventsSkipped: counter(registry, alertMetrics.eventsSkipped),
    notifications: counter(registry, alertMetrics.notifications),
    backupLastSuccess: gauge(registry, commonMetrics.backupLastSuccess),
    window: new WindowMetrics(registry),
  }
}

function rangeMetrics(registry: Registry) {
  return {
    eventsDigested: counter(registry, workerMetrics.eventsDigested),
    framesRepeated: counter(registry, workerMetrics.framesRepeated),
    framesRefused: counter(registry, workerMetrics.framesRefused),
    framesForeign: counter(registry, workerMetrics.framesForeign),
    rangesUndone: counter(registry, workerMetrics.rangesUndone),
    rangesFailed: counter(registry, workerMetrics.rangesFailed),
    rangeSeconds: histogram(registry, workerMetrics.rangeSeconds),
  }
}

function partitionMetrics(registry: Registry) {
  return {
    partitionsOwned: gauge(registry, workerMetrics.partitionsOwned),
    partitionStuckSeconds: gauge(registry, workerMetrics.partitionStuckSeconds),
    partitionStoreFault: gauge(registry, workerMetrics.partitionStoreFault),
    postgresOlder: gauge(registry, workerMetrics.postgresOlder),
    clickhouseOlder: gauge(registry, workerMetrics.clickhouseOlder),
    lagSeconds: gauge(registry, workerMetrics.lagSeconds),
    lagEvents: gauge(registry, workerMetrics.lagEvents),
    secondsSinceCommit: gauge(registry, workerMetrics.secondsSinceCommit),
  }
}
