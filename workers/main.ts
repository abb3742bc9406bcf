/** The worker process: JetStream in, ClickHouse and Postgres out. Only wiring. */
import { availableParallelism } from 'node:os'
import { jetstreamManager } from '@nats-io/jetstream'
import { v7 as uuidv7 } from 'uuid'
import { createClickHouse } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { readEnvOrExit } from '#platform/env.ts'
import { answersInTime } from '#platform/http/answers-in-time.ts'
import { startOpsServer } from '#platform/http/ops-server.ts'
import {
  claimClickHouse,
  ForeignInstallationError,
  noteLayout,
} from '#platform/installation/installation.ts'
import { checkClickHouse, openInstallation } from '#platform/installation/open-installation.ts'
import { retryAtStart } from '#platform/installation/retry-at-start.ts'
import { createLogger } from '#platform/logger.ts'
import {
  ensureIngestStreams,
  IngestLayoutError,
  readIngestStream,
} from '#platform/nats/ingest-streams.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { readNatsUrls } from '#platform/nats/nats-urls.ts'
import { createPool } from '#platform/postgres.ts'
import { runService, type Service } from '#platform/run-service.ts'
import { SecretBox, secretsOf } from '#platform/secret-box.ts'
import { correctionInserter, sendCorrections } from './commit/outcome-correction-store.ts'
import { tidyContacts } from './contacts/tidy-contacts.ts'
import { DeadLetterMaintenance } from './dead-letters/dead-letter-maintenance.ts'
import { DeadLetterPublisher } from './dead-letters/dead-letter-publisher.ts'
import { countDeadLetters, expireDeadLetters } from './dead-letters/dead-letter-store.ts'
import { deleteIssueEvents } from './deletions/delete-issue-events.ts'
import { deletionContext } from './deletions/deletion-store.ts'
import { DigestPool } from './digest/digest-pool.ts'
import { feedbackLinks } from './feedback/feedback-store.ts'
import { linkFeedbackToEvents } from './feedback/link-feedback.ts'
import { forgetOldInstances, settleSilentInstances } from './instances/instance-store.ts'
import { tellOfBurst } from './jobs/issue-burst.ts'
import { startJobs } from './jobs/job-runner.ts'
import { queueOwnerEmail } from './jobs/owner-email-store.ts'
import { warnOfQuota } from './jobs/quota-warning.ts'
import { findWarnedProject } from './jobs/warned-project-store.ts'
import { tidyEmails } from './mail/retention/tidy-emails.ts'
import { createWorkerMetrics } from './metrics.ts'
import { MonitorClock } from './monitors/monitor-clock.ts'
import { PostgresMonitorTicks } from './monitors/monitor-ticks.ts'
import { forgetOldRuns } from './monitors/monitor-writes.ts'
import { OutboxPublisher } from './outbox/outbox-publisher.ts'
import { resolveIssues } from './outbox/outbox-store.ts'
import { PartitionOwner } from './ownership/partition-owner.ts'
import { spreadLeaders } from './ownership/spread-leaders.ts'
import { PostgresRangeStore } from './partitions/postgres-range-store.ts'
import { pause } from './pause.ts'
import { countDrift, reindexIdeas } from './portal-drift/idea-count-store.ts'
import { reportDrift } from './portal-drift/report-drift.ts'
import { sendPortalNotifications } from './portal-notices/send-portal-notifications.ts'
import { expireSessionSums } from './release-health/release-health-store.ts'
import { repeatWork } from './repeat-work.ts'
import { ClickHouseRowStore } from './rows/row-store.ts'
import { lastSeqOf } from './stream/partition-end.ts'
import { StreamMaintenance } from './stream/stream-maintenance.ts'

/** How often the streams are checked and freed of what is committed. */
const maintenanceIntervalMs = 5_000
/** How often it is looked whether one node of the broker leads too many streams. */
const spreadIntervalMs = 30_000
/** Feedback waits for the event that it is about for this long at the least. */
const feedbackIntervalMs = 5_000
/** A failed run is heard of about so soon after it was decided. */
const outboxIntervalMs = 1_000
/** An outcome that a commit has corrected is seen in ClickHouse so soon. */
const correctionsIntervalMs = 1_000
/** A retry of a dead letter begins about so soon after it was requested. */
const deadLettersIntervalMs = 1_000
/** Nobody waits for word of an idea in front of the screen. */
const notificationsIntervalMs = 5_000
/** What is settled is a day old and what is forgotten a week: an hour more does not matter. */
const instancesIntervalMs = 3_600_000
/** Counts of ideas are kept in the transactions that change them; this looks whether that is true. */
const driftIntervalMs = 7 * 24 * 3_600_000
/** Who never confirmed is forgotten after weeks. */
const tidyIntervalMs = 3_600_000

const env = readEnvOrExit([
  'LOG_LEVEL',
  'POSTGRES_URL',
  'NATS_URL',
  'CLICKHOUSE_URL',
  'INGEST_PARTITIONS',
  'INGEST_STREAMS',
  'INGEST_STREAM_BYTES_MAX',
  'INGEST_STREAM_REPLICAS',
  'WORKERS_HOST',
  'WORKERS_PORT',
  'WORKERS_THREADS',
  'RETENTION_DAYS',
  'MAIL_FROM',
  'API_URL',
  'SLUICE_SECRET',
  'SLUICE_SECRET_PREVIOUS',
])
const log = createLogger('workers', env.LOG_LEVEL)

async function start(): Promise<Service> {
  const metrics = createWorkerMetrics()
  const pg = createPool(
    {
      url: env.POSTGRES_URL,
      applicationName: 'sluice-workers',
      connectionsMax: 8,
      statementTimeoutMs: 30_000,
    },
    log,
  )
  const clickhouse = createClickHouse(env.CLICKHOUSE_URL, 'sluice-workers')
  const installation = await openInstallation(pg, { log, secrets: secretsOf(env) })
  await retryAtStart(log, 'ClickHouse', async () => {
    await checkClickHouse(clickhouse, installation)
    await claimClickHouse(clickhouse, installation.id)
  })
  const servers = readNatsUrls(env.NATS_URL).servers.join(', ')
  const nats = await retryAtStart(log, `NATS at ${servers}`, () =>
    connectNats(env.NATS_URL, 'sluice-workers'),
  )
  const asked = { partitions: env.INGEST_PARTITIONS, streams: env.INGEST_STREAMS }
  const streamOptions = {
    ...asked,
    installationId: installation.id,
    bytesMax: env.INGEST_STREAM_BYTES_MAX,
    replicas: env.INGEST_STREAM_REPLICAS,
  }
  const { layout } = await retryAtStart(log, 'JetStream', () =>
    ensureIngestStreams(nats, streamOptions),
  )
  await retryAtStart(log, 'Postgres', () => noteLayout(pg, { asked, found: layout }, log))
  const readStream = (partition: number) =>
    readIngestStream(nats, partition, { ...streamOptions, ...layout })
  const manager = await retryAtStart(log, 'JetStream', () => jetstreamManager(nats))
  const pool = new DigestPool({ threadCount: env.WORKERS_THREADS || availableParallelism() })
  const monitorClock = new MonitorClock({
    ticks: new PostgresMonitorTicks(pg, layout.partitions),
    clock: systemClock,
    lastSeq: (partition) => lastSeqOf(manager, layout, partition),
  })
  const owner = new PartitionOwner(
    {
      postgresUrl: env.POSTGRES_URL,
      workerId: uuidv7(),
      layout,
      nats,
      readStream,
    },
    {
      ranges: new PostgresRangeStore(pg, layout.partitions),
      rows: new ClickHouseRowStore(clickhouse),
      clock: systemClock,
      sleep: pause,
      log,
      metrics,
      retentionDays: env.RETENTION_DAYS,
      partitionCount: layout.partitions,
      installationMark: installation.mark,
      monitors: monitorClock,
      digest: (input, cpuMsMax) => pool.digest(input, cpuMsMax),
    },
  )
  owner.start(systemClock)

  const jobPool = createPool(
    { url: env.POSTGRES_URL, applicationName: 'sluice-jobs', connectionsMax: 4 },
    log,
  )
  const draining = new AbortController()
  const deletions = deletionContext({
    ...{ pg, clickhouse, clock: systemClock, sleep: pause, signal: draining.signal },
  })
  const jobs = await startJobs(
    jobPool,
    {
      quota_warning: (payload) =>
        warnOfQuota(payload, {
          findProject: (projectId) => findWarnedProject(pg, projectId),
          send: (email) => queueOwnerEmail(pg, email, env.MAIL_FROM),
        }),
      issue_flood: (payload) =>
        tellOfBurst(payload, {
          findProject: (projectId) => findWarnedProject(pg, projectId),
          send: (email) => queueOwnerEmail(pg, email, env.MAIL_FROM),
        }),
      delete_issue_events: () => deleteIssueEvents(deletions),
      reindex_ideas: (payload) => reindexIdeas(pg, (payload as { project_id: string }).project_id),
      portal_drift: async (_payload, { addJob }) => {
        await reportDrift({ count: () => countDrift(pg), log })
        const runAt = new Date(systemClock.nowMs() + driftIntervalMs)
        await addJob('portal_drift', {}, { jobKey: 'portal_drift', runAt })
      },
    },
    log,
  )
  // What was asked for while no job could be enqueued.
  await retryAtStart(log, 'Postgres', () =>
    jobs.addJob('delete_issue_events', undefined, { jobKey: 'delete_issue_events' }),
  )
  await retryAtStart(log, 'Postgres', () =>
    jobs.addJob(
      'portal_drift',
      {},
      {
        ...{ jobKey: 'portal_drift', jobKeyMode: 'preserve_run_at' },
        runAt: new Date(systemClock.nowMs() + driftIntervalMs),
      },
    ),
  )

  const streamMaintenance = new StreamMaintenance({
    manager,
    pg,
    layout,
    registry: metrics.registry,
  })
  const maintenance = setInterval(() => {
    for (const work of [owner.checkStreams(), streamMaintenance.tick(owner.owned)])
      work.catch(warnOfMaintenance)
  }, maintenanceIntervalMs)
  const spread = setInterval(() => {
    if (owner.owned.includes(0)) spreadLeaders(nats, manager, layout, log).catch(warnOfMaintenance)
  }, spreadIntervalMs)
  const links = feedbackLinks(pg, clickhouse)
  const feedback = setInterval(() => {
    if (owner.owned.includes(0)) linkFeedbackToEvents(links, systemClock).catch(warnOfMaintenance)
  }, feedbackIntervalMs)
  const notificationContext = {
    ...{ pg, box: SecretBox.fromEnv(env), apiUrl: env.API_URL, mailFrom: env.MAIL_FROM },
  }
  const notifications = repeatWork(
    notificationsIntervalMs,
    () => sendPortalNotifications(notificationContext, new Date(systemClock.nowMs())),
    (error) => {
      log.warn({ code: 'notices_failed', err: error }, 'Notices of portals wait; trying again.')
    },
  )
  const publisher = new OutboxPublisher(pg, nats, layout, installation.mark)
  const outbox = repeatWork(
    outboxIntervalMs,
    () => publisher.publish().then(() => resolveIssues(pg)),
    (error) => {
      log.warn({ code: 'outbox_failed', err: error }, 'The outbox waits; trying again.')
    },
  )
  const insertCorrections = correctionInserter(clickhouse)
  const corrections = repeatWork(
    correctionsIntervalMs,
    () => sendCorrections(pg, insertCorrections),
    (error) => {
      log.warn(
        { code: 'outcome_corrections_failed', err: error },
        'Inserting corrections of outcomes into ClickHouse failed; retrying in 1 s.',
      )
    },
  )
  const deadLetters = new DeadLetterMaintenance({
    publisher: new DeadLetterPublisher(pg, nats, layout, installation.mark),
    count: () => countDeadLetters(pg),
    isOwner: () => owner.owned.includes(0),
    gauge: metrics.deadLetters,
    clock: systemClock,
    log,
  })
  const retries = setInterval(() => void deadLetters.tick(), deadLettersIntervalMs)
  const tidying = setInterval(() => {
    const now = new Date(systemClock.nowMs())
    tidyContacts(pg, now)
      .then(() => tidyEmails(pg, now))
      .catch(warnOfMaintenance)
  }, tidyIntervalMs)
  const instances = setInterval(() => {
    forgetOldRuns(pg, env.RETENTION_DAYS).catch(warnOfMaintenance)
    expireSessionSums(pg, {
      now: new Date(systemClock.nowMs()),
      retentionDays: env.RETENTION_DAYS,
    }).catch((error: unknown) => {
      log.warn(
        { code: 'expire_session_sums_failed', err: error },
        'Deleting expired session counts failed; retrying in an hour.',
      )
    })
    expireDeadLetters(pg, {
      now: new Date(systemClock.nowMs()),
      retentionDays: env.RETENTION_DAYS,
    })
      .then((expired) => {
        metrics.deadLettersExpired.inc(expired)
        if (expired > 0) {
          log.info({ code: 'dead_letters_expired', expired }, 'Expired dead letters were deleted.')
        }
      })
      .catch((error: unknown) => {
        log.warn(
          { code: 'expire_dead_letters_failed', err: error },
          'Deleting expired dead letters failed; retrying in an hour.',
        )
      })
    settleSilentInstances(pg)
      .then((settled) => {
        if (settled > 0) log.warn({ code: 'boots_settled', settled }, 'Silent boots were settled.')
        return forgetOldInstances(pg)
      })
      .catch(warnOfMaintenance)
  }, instancesIntervalMs)
  const warnOfMaintenance = (error: unknown) => {
    // Nobody catches it, on purpose: the next process begins with the layout that is there.
    if (error instanceof IngestLayoutError || error instanceof ForeignInstallationError) throw error
    log.warn(
      { code: 'care_failed', err: error },
      'The streams could not be looked after; trying again.',
    )
  }
  void (async () => {
    // What was lost with the broker shows best before new frames have taken its place.
    for await (const { type } of nats.status()) {
      if (type === 'reconnect' || type === 'disconnect') monitorClock.unsettle()
      if (type === 'reconnect') owner.checkStreams().catch(warnOfMaintenance)
    }
  })()

  const ops = await startOpsServer({
    host: env.WORKERS_HOST,
    port: env.WORKERS_PORT,
    registry: metrics.registry,
    missing: async () => {
      const [hasPostgres, hasClickHouse] = await Promise.all([
        answersInTime(pg.query('select 1')),
        answersInTime(clickhouse.ping().then(({ success }) => success)),
      ])
      const postgres = hasPostgres ? [] : ['postgres']
      const store = hasClickHouse ? [] : ['clickhouse']
      const bus = nats.isClosed() ? ['nats'] : []
      const stuck = owner.stuck.map((partition) => `partition ${partition} is stuck`)
      const refused = owner.refused.map(
        (partition) => `partition ${partition}: a store refuses every record`,
      )
      const partitions = owner.ready ? [] : ['partitions']
      return [...postgres, ...store, ...bus, ...partitions, ...stuck, ...refused]
    },
  })

  return {
    drain: async () => {
      clearInterval(maintenance)
      clearInterval(spread)
      clearInterval(instances)
      clearInterval(tidying)
      await outbox.stop()
      await corrections.stop()
      clearInterval(retries)
      await deadLetters.idle()
      await notifications.stop()
      clearInterval(feedback)
      ops.close()
      await owner.close()
      draining.abort()
      await jobs.stop()
      await pool.close()
      await nats.close()
      await clickhouse.close()
      await Promise.all([pg.end(), jobPool.end()])
    },
  }
}

await runService('workers', log, start)
