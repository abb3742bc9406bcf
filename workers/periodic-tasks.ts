/**
 * The periodic tasks of a worker process. What runs once per hour or week is a cron job instead
 * (jobs/cleanup-jobs.ts).
 */
import type { Clock } from '#platform/clock.ts'
import { ForeignInstallationError } from '#platform/installation/installation.ts'
import type { Logger } from '#platform/logger.ts'
import { IngestLayoutError } from '#platform/nats/ingest-streams.ts'
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import { observeBackups } from './backups/backup-metric-store.ts'
import { correctionInserter, sendCorrections } from './commit/outcome-correction-store.ts'
import type { WorkerConnections } from './connect.ts'
import { DeadLetterMaintenance } from './dead-letters/dead-letter-maintenance.ts'
import { DeadLetterPublisher } from './dead-letters/dead-letter-publisher.ts'
import { countDeadLetters } from './dead-letters/dead-letter-store.ts'
import { DeliveryGauges } from './deliveries/delivery-gauges.ts'
import { feedbackLinks } from './feedback/feedback-store.ts'
import { linkFeedbackToEvents } from './feedback/link-feedback.ts'
import { lagTask } from './lag/lag-task.ts'
import { removeFormerStreams } from './layout/remove-former-streams.ts'
import { followLayout } from './layout/switch-layout.ts'
import type { WorkerMetrics } from './metrics.ts'
import { OutboxPublisher } from './outbox/outbox-publisher.ts'
import { resolveIssues } from './outbox/outbox-store.ts'
import type { PartitionOwner } from './ownership/partition-owner.ts'
import { spreadLeaders } from './ownership/spread-leaders.ts'
import {
  type NotificationContext,
  sendPortalNotifications,
} from './portal-notifications/send-portal-notifications.ts'
import { SessionDays } from './release-health/session-days/roll-session-days.ts'
import { estimateRows } from './retention/table-size-store.ts'
import { StreamMaintenance } from './stream/stream-maintenance.ts'
import { UpkeepMetrics } from './upkeep/upkeep-metrics.ts'

/**
 * Interval at which streams are compared with the positions that were read, and purged of committed
 * frames.
 */
const streamIntervalMs = 5_000
/** Interval at which the leaders of the streams are counted per node of the broker. */
const spreadIntervalMs = 30_000
/** Delay with which feedback is linked to an event that arrived after it. */
const feedbackIntervalMs = 5_000
/** Delay with which the failure of a monitor run is published as an event. */
const outboxIntervalMs = 1_000
/** Delay with which ClickHouse sees an outcome that a commit has corrected. */
const correctionsIntervalMs = 1_000
/** Delay with which a requested retry of a dead letter begins. */
const deadLettersIntervalMs = 1_000
const notificationsIntervalMs = 5_000
/** Delay with which workers move to another number of partitions. */
const layoutIntervalMs = 2_000
const formerStreamsIntervalMs = 10_000
/** Delay with which sessions of a closed day are counted, and longest run apart. */
const sessionDaysIntervalMs = 60_000
/** Interval at which the estimated sizes of tables are reported. */
const tableSizesIntervalMs = 60_000
/** Delay with which the metric shows a backup. */
const backupsIntervalMs = 30_000

export interface WorkerTasksOptions {
  readonly connections: WorkerConnections
  readonly owner: PartitionOwner
  readonly metrics: WorkerMetrics
  readonly notifications: NotificationContext
  /** The number of partitions was changed: the process must end and start again. */
  readonly onLayoutReplaced: () => void
  readonly clock: Clock
  readonly log: Logger
}

export interface WorkerTasks {
  /** Compares the streams with the positions that were read; also run when the broker is back. */
  readonly streamCheck: PeriodicTaskOptions
  readonly others: readonly PeriodicTaskOptions[]
}

/** The process ends; its next start reads the current layout. */
const isFatal = (error: unknown) =>
  error instanceof IngestLayoutError || error instanceof ForeignInstallationError

export function workerTasks(options: WorkerTasksOptions): WorkerTasks {
  const { connections, owner, metrics, notifications, clock, log } = options
  const { pg, clickhouse, nats, manager, layout, installation } = connections
  const { registry } = metrics
  const streams = new StreamMaintenance({ manager, pg, layout, registry })
  const layouts = { pg, nats, manager, layout, streamOptions: connections.streamOptions, log }
  const formerStreams = { pg, manager, layout, installationId: installation.id, log }
  const outbox = new OutboxPublisher(pg, nats, layout, installation.mark)
  const insertCorrections = correctionInserter(clickhouse)
  const links = feedbackLinks(pg, clickhouse)
  // Work that one process is enough for is done by the owner of the first partition.
  const isFirstOwner = () => owner.owned.includes(layout.first)
  const deadLetters = new DeadLetterMaintenance({
    publisher: new DeadLetterPublisher(pg, nats, layout, installation.mark),
    count: () => countDeadLetters(pg),
    isOwner: isFirstOwner,
    gauge: metrics.deadLetters,
    clock,
    log,
  })
  const upkeep = new UpkeepMetrics({ registry, pg, clock, isOwner: isFirstOwner })
  const deliveries = new DeliveryGauges({ registry, pg, clock, isOwner: isFirstOwner })
  const sessionDays = new SessionDays({ pg, clickhouse, clock, log })
  return {
    streamCheck: {
      name: 'stream_check',
      intervalMs: streamIntervalMs,
      run: () => owner.checkStreams(),
      failure: { code: 'care_failed', text: 'Checking the streams failed' },
      isFatal,
    },
    others: [
      lagTask({ manager, pg, layout, clock, owner, gauges: metrics }),
      upkeep.task,
      deliveries.task,
      {
        name: 'layout',
        intervalMs: layoutIntervalMs,
        run: async () => {
          const state = await followLayout(layouts, isFirstOwner())
          if (state === 'replaced') options.onLayoutReplaced()
        },
        failure: { code: 'layout_failed', text: 'Reading the layout of the streams failed' },
      },
      {
        name: 'former_streams',
        intervalMs: formerStreamsIntervalMs,
        run: () => isFirstOwner() && removeFormerStreams(formerStreams),
        failure: { code: 'care_failed', text: 'Deleting the streams of a former layout failed' },
      },
      {
        name: 'stream_maintenance',
        intervalMs: streamIntervalMs,
        run: () => streams.run(owner.owned),
        failure: { code: 'care_failed', text: 'Stream maintenance failed' },
        isFatal,
      },
      {
        name: 'leader_spread',
        intervalMs: spreadIntervalMs,
        run: () => isFirstOwner() && spreadLeaders(nats, manager, layout, log),
        failure: { code: 'care_failed', text: 'Spreading the leaders of the streams failed' },
        isFatal,
      },
      {
        name: 'feedback_links',
        intervalMs: feedbackIntervalMs,
        run: () => isFirstOwner() && linkFeedbackToEvents(links, clock),
        failure: { code: 'care_failed', text: 'Linking feedback to events failed' },
      },
      {
        name: 'outbox',
        intervalMs: outboxIntervalMs,
        run: () => outbox.publish().then(() => resolveIssues(pg)),
        failure: { code: 'outbox_failed', text: 'Publishing the outbox failed' },
      },
      {
        name: 'outcome_corrections',
        intervalMs: correctionsIntervalMs,
        run: () => sendCorrections(pg, insertCorrections),
        failure: {
          code: 'outcome_corrections_failed',
          text: 'Inserting corrections of outcomes into ClickHouse failed',
        },
      },
      {
        name: 'dead_letters',
        intervalMs: deadLettersIntervalMs,
        run: () => deadLetters.run(),
        failure: { code: 'dead_letters_failed', text: 'Publishing retried dead letters failed' },
      },
      {
        name: 'session_days',
        intervalMs: sessionDaysIntervalMs,
        run: (signal) => isFirstOwner() && sessionDays.run(signal),
        failure: { code: 'session_days_failed', text: 'Summing the sessions of days failed' },
      },
      {
        name: 'table_sizes',
        intervalMs: tableSizesIntervalMs,
        run: () => reportTableSizes(pg, metrics, isFirstOwner()),
        failure: { code: 'care_failed', text: 'Estimating the sizes of tables failed' },
      },
      {
        name: 'backup_metric',
        intervalMs: backupsIntervalMs,
        first: 'now',
        run: () => observeBackups(pg, { gauge: metrics.backupLastSuccess, isOwner: isFirstOwner }),
        failure: { code: 'backup_metric_failed', text: 'Reading the last backup failed' },
      },
      {
        name: 'portal_notifications',
        intervalMs: notificationsIntervalMs,
        run: () => sendPortalNotifications(notifications, new Date(clock.nowMs())),
        failure: { code: 'notices_failed', text: 'Sending portal notifications failed' },
      },
    ],
  }
}

/** Only one process reports the sizes; another one forgets those that it reported before. */
async function reportTableSizes(
  pg: WorkerConnections['pg'],
  { tableRows }: Pick<WorkerMetrics, 'tableRows'>,
  isReporter: boolean,
): Promise<void> {
  const sizes = isReporter ? await estimateRows(pg) : []
  tableRows.reset()
  for (const { table, rows } of sizes) tableRows.set({ table }, rows)
}
