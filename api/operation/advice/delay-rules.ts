/** Events or emails are late, or the product cannot be used. None is lost. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import type { PartitionState, ProcessState, Snapshot } from '../processes/snapshot.ts'
import { bytesText, countText, durationText } from '../text/format-numbers.ts'
import {
  type AdviceRule,
  allSilent,
  isJetStream,
  missing,
  namesOf,
  reasonFor,
  silentOnes,
  usedRatioOf,
  whyOf,
  worst,
} from './advice-rule.ts'

export const delayRules: readonly AdviceRule[] = [
  {
    name: 'broker_away',
    severity: 'problem',
    page: 'runbooks/BrokerAway',
    find: (snapshot) => {
      const isAway = (snapshot.ingest?.brokerAway ?? 0) > 0
      const processes = missing(snapshot, 'nats')
      if (processes === undefined) {
        if (!isAway) return undefined
        return `NATS answers, but stores no frames of ingest: read frame_refused in the log of ingest; if the disk of NATS was full, free it and restart NATS. ${keptUntil(snapshot)}`
      }
      const remedy = `${cannotUse(snapshot, processes, 'nats', 'NATS')}: start NATS, or repair its disk or the network.`
      return isAway ? `${remedy} ${keptUntil(snapshot)}` : remedy
    },
  },
  storeAway('postgres', 'Postgres'),
  storeAway('clickhouse', 'ClickHouse'),
  {
    name: 'workers_down',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: (snapshot) => {
      const lost = allSilent(snapshot, 'workers')
      return (
        lost &&
        `No worker answers (${whyOf(lost)}), so events wait in the stream: restart the workers, and read the end of their log.`
      )
    },
  },
  {
    name: 'store_fault',
    severity: 'problem',
    page: 'runbooks/StoreRefusesEverything',
    find: ({ workers }) => {
      const broken = (workers?.partitions ?? []).filter(({ storeFault }) => storeFault)
      if (broken.length === 0) return undefined
      return `A store refuses every record of partition ${partitionsText(broken)}: repair its schema within an hour, as store_refuses_everything in the log of the workers says.`
    },
  },
  {
    name: 'stores_disagree',
    severity: 'problem',
    page: 'runbooks/StoresDisagree',
    find: ({ workers }) => {
      const older = (workers?.partitions ?? []).filter(({ postgresOlder }) => postgresOlder)
      if (older.length === 0) return undefined
      return `Partition ${partitionsText(older)} waits, because an older Postgres was restored: run \`npm run admin -- reconcile --restored\`.`
    },
  },
  {
    name: 'partition_stuck',
    severity: 'problem',
    page: 'runbooks/LagHigh',
    find: ({ workers }) => {
      const partitions = workers?.partitions ?? []
      const stuck = partitions.filter((one) => one.stuckSeconds >= faultLimits.stuckSeconds)
      const longest = worst(stuck, ({ stuckSeconds }) => stuckSeconds)
      if (longest === undefined) return undefined
      return `Partition ${partitionsText(stuck)} has not moved for ${durationText(longest.stuckSeconds)}: run \`npm run admin -- doctor\`, which names a lock or a store that blocks it. range_failed in the log of the workers says the same; restart them only if there is no cause.`
    },
  },
  {
    name: 'lag',
    severity: 'problem',
    page: 'runbooks/LagHigh',
    find: ({ workers }) => {
      const partitions = workers?.partitions ?? []
      const latest = worst(partitions, ({ lagSeconds }) => lagSeconds, faultLimits.lagSeconds)
      if (latest === undefined) return undefined
      return `Events are ${durationText(latest.lagSeconds)} late (partition ${latest.partition}, ${countText(latest.lagEvents)} events wait): add a worker, or look at the load of the databases.`
    },
  },
  {
    name: 'jetstream_nearly_full',
    severity: 'problem',
    page: 'runbooks/StreamNearFull',
    find: ({ disks }) => {
      const limits = disks.filter(({ folder }) => isJetStream(folder))
      const full = worst(limits, usedRatioOf, 1 - faultLimits.diskFreeRatio)
      if (full === undefined) return undefined
      return `JetStream (${full.folder}) has ${bytesText(full.freeBytes)} of its ${bytesText(full.sizeBytes)} left: add workers, or raise the limit of the stream or the account.`
    },
  },
  {
    name: 'process_silent',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: (snapshot) => {
      // Those have rules of their own.
      const named = (['ingest', 'workers'] as const).flatMap(
        (kind) => allSilent(snapshot, kind) ?? [],
      )
      const lost = silentOnes(snapshot).filter((one) => !named.includes(one))
      if (lost.length === 0) return undefined
      return `${namesOf(lost)} does not answer (${whyOf(lost)}): read the end of its log, and restart it.`
    },
  },
  {
    name: 'smtp_away',
    severity: 'problem',
    page: 'runbooks/SmtpAway',
    find: (snapshot) => {
      const isAway = snapshot.mail?.smtpAway === true
      const processes = missing(snapshot, 'smtp') ?? (isAway ? 'mailer' : undefined)
      if (processes === undefined) return undefined
      const waiting = (snapshot.mail?.lanes ?? []).reduce((sum, lane) => sum + lane.waiting, 0)
      return `${cannotUse(snapshot, processes, 'smtp', 'the mail server')}, and ${countText(waiting)} emails wait: start the server, or correct SMTP_URL (\`npm run admin -- doctor\` tests it).`
    },
  },
  {
    name: 'oldest_email',
    severity: 'problem',
    page: 'runbooks/EmailOldest',
    find: ({ mail }) => {
      const lanes = mail?.lanes ?? []
      const limit = faultLimits.oldestEmailSeconds
      const latest = worst(lanes, ({ oldestSeconds }) => oldestSeconds, limit)
      if (latest === undefined) return undefined
      return `An email of lane ${latest.lane} waits for ${durationText(latest.oldestSeconds)}: look for deferrals in the log of the mailer, or add a mailer.`
    },
  },
  {
    name: 'process_busy',
    severity: 'warning',
    page: 'scaling',
    find: ({ processes }) => {
      const late = ({ eventLoopLagSeconds }: ProcessState) => eventLoopLagSeconds
      const busy = worst(processes, late, faultLimits.eventLoopLagSeconds)
      if (busy === undefined) return undefined
      const another = busy.kind === 'unknown' ? 'process of its kind' : `process of ${busy.kind}`
      return `${busy.name} answers about ${late(busy)?.toFixed(1)} s late, because its one thread is busy: add another ${another}.`
    },
  },
  {
    name: 'process_not_ready',
    severity: 'problem',
    page: 'runbooks/NotReady',
    find: ({ processes }) => {
      const lacking = processes.filter(({ state }) => state === 'not ready')
      const [first] = lacking
      if (first === undefined) return undefined
      const why = first.reasons.length === 0 ? 'without a reason' : first.reasons.join('; ')
      return `${namesOf(lacking)} is not ready (${why}): repair what it names.`
    },
  },
]

function storeAway(dependency: 'postgres' | 'clickhouse', title: string): AdviceRule {
  return {
    name: `${dependency}_away`,
    severity: 'problem',
    page: 'runbooks/DependencyAway',
    find: (snapshot) => {
      const processes = missing(snapshot, dependency)
      if (processes === undefined) return undefined
      return `${cannotUse(snapshot, processes, dependency, title)}: start ${title}, or repair its disk or the network.`
    },
  }
}

function cannotUse(
  snapshot: Snapshot,
  processes: string,
  dependency: string,
  title: string,
): string {
  const reason = reasonFor(snapshot, dependency)?.replace(/^The mail server cannot be used: /, '')
  return `${processes} cannot use ${title}${reason === undefined ? '' : ` (${reason})`}`
}

function keptUntil({ disks }: Snapshot): string {
  const limit = disks.find(({ folder }) => folder === 'ingest_log_limit')
  const seconds = limit?.fullSeconds ?? null
  const until = seconds === null ? '' : `, which is full in ${durationText(seconds)}`
  return `Ingest keeps events in its write-ahead log${until}.`
}

function partitionsText(partitions: readonly PartitionState[]): string {
  return partitions.map(({ partition }) => partition).join(', ')
}
