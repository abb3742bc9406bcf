/** Events or emails are late, or the product cannot be used. None is lost. */
import { faultLimits } from '#schemas/metrics/fault-limits.ts'
import { countText, durationText } from '../format-numbers.ts'
import {
  type AdviceRule,
  allSilent,
  missing,
  namesOf,
  silentOnes,
  whyOf,
  worst,
} from './advice-rule.ts'

export const delayRules: readonly AdviceRule[] = [
  {
    name: 'broker_away',
    severity: 'problem',
    page: 'runbooks/BrokerAway',
    find: (snapshot) => {
      const away = (snapshot.ingest?.brokerAway ?? 0) > 0
      const lacking = missing(snapshot, 'nats')
      if (!away && lacking === undefined) return undefined
      const log = away ? ' Ingest keeps events in its write-ahead log.' : ''
      return `NATS is away from ${away ? 'ingest' : lacking}: start it or repair the network.${log}`
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
        `No worker answers (${whyOf(lost)}): events wait in the stream. End and start the workers.`
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
      const names = broken.map(({ partition }) => partition).join(', ')
      return `A store refuses every record of partition ${names}: repair its schema within an hour (log line store_refuses_everything).`
    },
  },
  {
    name: 'partition_stuck',
    severity: 'problem',
    page: 'runbooks/LagHigh',
    find: ({ workers }) => {
      const stuck = (workers?.partitions ?? []).filter(
        (one) => one.stuckSeconds >= faultLimits.stuckSeconds,
      )
      if (stuck.length === 0) return undefined
      const longest = Math.max(...stuck.map(({ stuckSeconds }) => stuckSeconds))
      return `Partition ${stuck.map(({ partition }) => partition).join(', ')} is stuck for ${durationText(longest)}: read the log of its worker, then restart it.`
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
    name: 'process_silent',
    severity: 'problem',
    page: 'runbooks/ProcessDown',
    find: (snapshot) => {
      const lost = silentOnes(snapshot)
      if (lost.length === 0) return undefined
      return `${namesOf(lost)} does not answer (${whyOf(lost)}): restart it, and read the end of its log.`
    },
  },
  {
    name: 'smtp_away',
    severity: 'problem',
    page: 'runbooks/SmtpAway',
    find: (snapshot) => {
      const isMissing = missing(snapshot, 'smtp') !== undefined
      if (!isMissing && snapshot.mail?.smtpAway !== true) return undefined
      const waiting = (snapshot.mail?.lanes ?? []).reduce((sum, lane) => sum + lane.waiting, 0)
      return `The SMTP server refuses the mailer, and ${countText(waiting)} emails wait: check SMTP_URL with \`npm run admin -- doctor\`.`
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
      return processes && `${title} does not answer ${processes}: start it or repair the network.`
    },
  }
}
