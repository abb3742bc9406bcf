import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import type {
  IngestState,
  MailState,
  PartitionState,
  ProcessState,
  Snapshot,
  WorkersState,
} from '../processes/snapshot.ts'
import { adviceRules, advise } from './advise.ts'
import { splitAdvice } from './split-advice.ts'

const at = '2026-11-21T12:00:00.000Z'

function processOf(name: ProcessState['kind'], other: Partial<ProcessState> = {}): ProcessState {
  return {
    name,
    kind: name,
    url: `http://127.0.0.1/${name}`,
    state: 'ready',
    reasons: [],
    version: '0.1.0',
    installation: 'a',
    uptimeSeconds: 60,
    cpuCores: 0.1,
    memoryBytes: 1e8,
    startedAt: at,
    eventLoopLagSeconds: 0.01,
    rate: null,
    ...other,
  }
}

const partition: PartitionState = {
  partition: '0',
  owner: 'workers',
  lagSeconds: 0.2,
  lagEvents: 3,
  sinceCommitSeconds: 1,
  stuckSeconds: 0,
  storeFault: false,
  postgresOlder: false,
}
const ingest: IngestState = {
  requestsPerSecond: { '2xx': 10, '4xx': 2, '5xx': 0 },
  framesPerSecond: 5,
  requestsPending: 1,
  logBytes: 100,
  logLimitBytes: 1_000,
  oldestFrameSeconds: 1,
  brokerAway: 0,
  quotaAway: 0,
  logErrorsPerMinute: 0,
  forgottenPerMinute: 0,
  logsLeftAlone: 0,
}
const workers: WorkersState = {
  eventsPerSecond: 10,
  partitions: [partition, { ...partition, partition: '1' }],
  deadLetters: { undigestible: 0 },
  jobsWaiting: { mail: 3 },
  jobsFailed: { mail: 0 },
  streamFullRatio: { INGEST: 0.1 },
}
const mail: MailState = {
  lanes: [{ lane: 'urgent', waiting: 2, oldestSeconds: 5 }],
  sentPerSecond: 1,
  smtpAway: false,
}
const disk = {
  process: 'workers',
  folder: 'data',
  freeBytes: 50e9,
  sizeBytes: 100e9,
  fullSeconds: null,
}
const healthy: Snapshot = {
  at,
  processes: (['ingest', 'workers', 'mailer', 'api'] as const).map((name) => processOf(name)),
  ingest,
  workers,
  mail,
  dropsPerMinute: [{ outcome: 'filtered', reason: 'browser', perMinute: 3 }],
  quota: [{ project: 'shop', usedRatio: 0.99 }],
  disks: [disk],
  clocks: [{ process: 'ingest', offsetSeconds: 0.01 }],
  missing: [],
  lastBackup: Date.parse(at) / 1000 - 3600,
}

/** The processes, with those of a kind in a state. */
function withState(kind: ProcessState['kind'], state: ProcessState['state'], reasons: string[]) {
  const processes = healthy.processes.map((one) =>
    one.kind === kind ? { ...one, state, reasons } : one,
  )
  return { ...healthy, processes }
}
const silent = (kind: ProcessState['kind']) =>
  withState(kind, 'does not answer', ['no answer within 1.5 s'])
const ofPartition = (fault: Partial<PartitionState>): Snapshot => ({
  ...healthy,
  workers: { ...workers, partitions: [partition, { ...partition, partition: '7', ...fault }] },
})
/** A process that is ready without a dependency, and says why. */
const readyWithout = (dependency: string, reason: string): Snapshot => ({
  ...withState('ingest', 'ready', [`${dependency}: ${reason}`]),
  missing: [{ dependency, processes: ['ingest'] }],
})
const ofIngest = (fault: Partial<IngestState>): Snapshot => ({
  ...healthy,
  ingest: { ...ingest, ...fault },
})
const ofWorkers = (fault: Partial<WorkersState>): Snapshot => ({
  ...healthy,
  workers: { ...workers, ...fault },
})
const lacks = (dependency: string): Snapshot => ({
  ...healthy,
  missing: [{ dependency, processes: ['workers'] }],
})

// biome-ignore format: the columns are the point
const table: readonly [rule: string, snapshot: Snapshot, words: string][] = [
  ['nothing_answers',      { ...healthy, processes: healthy.processes.map((one) => ({ ...one, state: 'does not answer' as const, reasons: ['nothing listens there'] })) }, 'nothing listens there'],
  ['ingest_down',          silent('ingest'), 'events are lost'],
  ['log_write_errors',     ofIngest({ logErrorsPerMinute: 1 }), 'INGEST_LOG_DIR'],
  ['log_write_errors',     readyWithout('log', 'The disk of the write-ahead log refuses writes.'), '(The disk of the write-ahead log refuses writes)'],
  ['log_write_errors',     { ...readyWithout('log', 'It is full.'), disks: [{ ...disk, folder: 'ingest_log', freeBytes: 0 }] }, '(It is full; 0 B free), so only NATS holds new events'],
  ['log_write_errors',     { ...ofIngest({ brokerAway: 1 }), missing: [{ dependency: 'log', processes: ['ingest'] }] }, 'NATS is away, so events are refused'],
  ['events_refused',       ofIngest({ requestsPerSecond: { '2xx': 1, '5xx': 12.4 } }), '12 requests/s'],
  ['events_refused',       ofIngest({ requestsPerSecond: { '5xx': 1 }, brokerAway: 1 }), 'start NATS or free the log'],
  ['events_refused',       { ...ofIngest({ requestsPerSecond: { '5xx': 1 } }), missing: [{ dependency: 'postgres', processes: ['ingest'] }] }, 'start Postgres'],
  ['disk_nearly_full',     { ...healthy, disks: [disk, { ...disk, folder: 'ingest_log', freeBytes: 4e9 }] }, 'ingest_log'],
  ['log_nearly_full',      ofIngest({ logBytes: 800, brokerAway: 1 }), '80 %'],
  ['broker_away',          ofIngest({ brokerAway: 1 }), 'NATS answers, but stores no frames of ingest'],
  ['broker_away',          lacks('nats'), 'workers cannot use NATS: start NATS'],
  ['broker_away',          readyWithout('nats', 'NATS did not answer within 2 s.'), 'ingest cannot use NATS (NATS did not answer within 2 s)'],
  ['broker_away',          { ...ofIngest({ brokerAway: 1 }), disks: [{ ...disk, folder: 'ingest_log_limit', freeBytes: 1, fullSeconds: 7_300 }] }, 'which is full in 2 h'],
  ['postgres_away',        lacks('postgres'), 'Postgres'],
  ['clickhouse_away',      lacks('clickhouse'), 'ClickHouse'],
  ['workers_down',         silent('workers'), 'No worker answers'],
  ['store_fault',          ofPartition({ storeFault: true }), 'partition 7'],
  ['stores_disagree',      ofPartition({ postgresOlder: true, stuckSeconds: 60 }), 'reconcile --restored'],
  ['partition_stuck',      ofPartition({ stuckSeconds: 60 }), 'Partition 7 has not moved for 60 s'],
  ['lag',                  ofPartition({ lagSeconds: 61, lagEvents: 1234 }), '1,234 events wait'],
  ['jetstream_nearly_full', { ...healthy, disks: [disk, { ...disk, folder: 'nats:INGEST', freeBytes: 4e9 }] }, 'JetStream (nats:INGEST) has 3.7 GB of its 93.1 GB left'],
  ['process_silent',       silent('mailer'), 'mailer does not answer'],
  ['process_silent',       silent('api'), 'api does not answer'],
  ['smtp_away',            { ...healthy, mail: { ...mail, smtpAway: true } }, '2 emails wait'],
  ['smtp_away',            lacks('smtp'), 'SMTP_URL'],
  ['smtp_away',            { ...withState('mailer', 'not ready', ['smtp: It refuses the login.']), missing: [{ dependency: 'smtp', processes: ['mailer'] }] }, 'mailer cannot use the mail server (It refuses the login)'],
  ['oldest_email',         { ...healthy, mail: { ...mail, lanes: [{ lane: 'campaign', waiting: 1, oldestSeconds: 901 }] } }, 'lane campaign'],
  ['process_busy',         { ...healthy, processes: [processOf('ingest', { eventLoopLagSeconds: 0.26 }), processOf('workers')] }, 'ingest answers about 0.3 s late'],
  ['process_not_ready',    withState('api', 'not ready', ['draining']), 'draining'],
  ['disk_full_soon',       { ...healthy, disks: [{ ...disk, fullSeconds: 7_300 }] }, 'full in 2 h'],
  ['clock_offset',         { ...healthy, clocks: [{ process: 'ingest', offsetSeconds: -61 }] }, '61 s behind Postgres'],
  ['clock_offset',         { ...healthy, clocks: [{ process: 'ingest', offsetSeconds: 86_400 }] }, '24 h ahead of Postgres'],
  ['clock_offset',         { ...healthy, clocks: ['ingest', 'api'].map((process) => ({ process, offsetSeconds: 86_400 })) }, 'All processes are 24 h ahead of Postgres'],
  ['clock_offset',         { ...healthy, clocks: [{ process: 'ingest', offsetSeconds: 86_400 }, { process: 'api', offsetSeconds: 0 }] }, 'The clock of ingest is 24 h ahead'],
  ['installations_differ', { ...healthy, processes: [processOf('ingest', { installation: 'b' }), processOf('workers')] }, '2 installations'],
  ['installations_differ', ofIngest({ logsLeftAlone: 2 }), '2 write-ahead logs'],
  ['frames_forgotten',     ofIngest({ forgottenPerMinute: 1 }), '2.12.3'],
  ['stream_nearly_full',   ofWorkers({ streamFullRatio: { INGEST: 0.1, 'INGEST-1': 0.8 } }), 'INGEST-1 is 80 %'],
  ['log_grows_old',        ofIngest({ oldestFrameSeconds: 61 }), 'waits in the write-ahead log'],
  ['quota_away',           ofIngest({ quotaAway: 1 }), 'allowance'],
  ['dead_letters',         ofWorkers({ deadLetters: { undigestible: 2, unreadable_frame: 1 } }), '3 dead letters'],
  ['jobs_failed',          ofWorkers({ jobsFailed: { import: 2, other: 0 } }), '(import 2)'],
  ['backup_old',           { ...healthy, lastBackup: Date.parse(at) / 1000 - 40 * 3600 }, '40 h old'],
  ['versions_differ',      { ...healthy, processes: [processOf('ingest', { version: '0.2.0' }), processOf('workers')] }, '0.1.0 and 0.2.0'],
  ['quota_used_up',        { ...healthy, quota: [{ project: 'shop', usedRatio: 1 }] }, 'shop'],
]

describe('the advice', () => {
  test.each(table)('%s', (rule, snapshot, words) => {
    const advice = advise(snapshot)
    expect(advice).toMatchObject({ rule, text: expect.stringContaining(words) })
    expect(advice.severity).not.toBe('ok')
    expect(existsSync(join(projectRoot, advice.runbook ?? ''))).toBe(true)
    expect(advice.text).toMatch(/^[^.]+: .+\.$|^.+: .+\.$/)
  })

  test.each(table)('%s says what is wrong apart from what to do', (_rule, snapshot) => {
    const { text, action } = splitAdvice(advise(snapshot).text)
    expect(text).toMatch(/^\S.*[^.]\.$/)
    expect(action).toMatch(/^[A-Z`].*\.$/)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['ingest is away (smtp: no): start it.',  'ingest is away (smtp: no).', 'Start it.'],
    ['ingest is away )x(: start it.',         'ingest is away )x(: start it.', ''],
    ['10:30 is late.',                        '10:30 is late.', ''],
    ['',                                      '', ''],
  ])('%j is split outside of parentheses', (whole, text, action) => {
    expect(splitAdvice(whole)).toEqual({ text, action })
  })

  test('every rule has a line in the table', () => {
    const tested = new Set(table.map(([rule]) => rule))
    expect(adviceRules.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([])
  })

  test('of two faults, the one whose rule comes first is named', () => {
    const order = adviceRules.map(({ name }) => name)
    const both: Snapshot = {
      ...healthy,
      ingest: { ...ingest, brokerAway: 1 },
      workers: { ...workers, deadLetters: { undigestible: 1 } },
    }
    expect(advise(both)).toMatchObject({ rule: 'broker_away', also: ['dead_letters'] })
    expect(order.indexOf('broker_away')).toBeLessThan(order.indexOf('dead_letters'))
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['when all is well',                    healthy],
    ['before the second scrape',            ofIngest({ requestsPerSecond: null, framesPerSecond: null })],
    ['at the limit of the lag',             ofPartition({ lagSeconds: 60 })],
    ['while a full log is only not purged', ofIngest({ logBytes: 1_000 })],
    ['at the limit of the log alone',       { ...healthy, disks: [{ ...disk, folder: 'ingest_log_limit', freeBytes: 1 }] }],
    ['before the first backup',             { ...healthy, lastBackup: 0 }],
    ['when nothing is known',               { ...healthy, ingest: null, workers: null, mail: null, disks: [], clocks: [], quota: [], lastBackup: null }],
    ['for a disk of unknown size',          { ...healthy, disks: [{ ...disk, freeBytes: 1, sizeBytes: null }] }],
  ] as const)('there is nothing to do %s', (_when, snapshot) => {
    expect(advise(snapshot)).toEqual({
      rule: null,
      severity: 'ok',
      text: 'Nothing to do.',
      runbook: null,
      also: [],
    })
  })
})
