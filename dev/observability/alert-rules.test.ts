/** Runs the alert rules against recorded series, with promtool of Prometheus if it is installed. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alertGroups } from './alert-groups.ts'
import { alertRules } from './alert-rules.ts'

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const alerts = alertGroups.flatMap((group) => group.alerts)

interface Case {
  readonly alert: string
  readonly what: string
  /** One sample a minute, in the notation of promtool: `0x9` is ten times 0. */
  readonly series: Readonly<Record<string, string>>
  readonly atMinute: number
  readonly fires: number
}

/** promtool reads no repeated +Inf. */
const never = '1e18'
const ingest = 'instance="ingest:8038"'
const all = { up: 'up{job="sluice",instance="ingest:8038"}' }
const running = Object.fromEntries(
  ['ingest', 'workers', 'mailer', 'api'].map((name) => [
    `sluice_build_info{process="${name}",instance="${name}"}`,
    '1x60',
  ]),
)
const quiet = {
  [`ingest_frames_forgotten_total{${ingest}}`]: '0x60',
  [`ingest_log_segments_dropped_total{${ingest}}`]: '0x60',
  [`ingest_log_errors_total{${ingest}}`]: '0x60',
}

function steady(alert: string, series: string, good: string, bad: string, fires = 1): Case[] {
  return [
    { alert, what: 'stays silent', series: { [series]: `${good}x60` }, atMinute: 50, fires: 0 },
    { alert, what: 'fires', series: { [series]: `${bad}x60` }, atMinute: 50, fires },
    {
      alert,
      what: 'clears',
      series: { [series]: `${bad}x30 ${good}x30` },
      atMinute: 50,
      fires: 0,
    },
  ]
}

const cases: Case[] = [
  { alert: 'EventsLostOrResent', what: 'stays silent', series: quiet, atMinute: 50, fires: 0 },
  {
    alert: 'EventsLostOrResent',
    what: 'fires when frames are forgotten',
    series: { ...quiet, [`ingest_frames_forgotten_total{${ingest}}`]: '0x45 3x15' },
    atMinute: 50,
    fires: 1,
  },
  {
    alert: 'EventsLostOrResent',
    what: 'stays silent after a restart, which resets the counters',
    series: { ...quiet, [`ingest_log_errors_total{${ingest}}`]: '5x45 0x15' },
    atMinute: 50,
    fires: 0,
  },
  {
    alert: 'EventsLostOrResent',
    what: 'clears',
    series: { ...quiet, [`ingest_log_errors_total{${ingest}}`]: '0x20 5x40' },
    atMinute: 50,
    fires: 0,
  },
  {
    alert: 'RequestsRefused',
    what: 'fires on 503',
    series: { [`ingest_replies_total{${ingest},status="503"}`]: '0x40 1+1x20' },
    atMinute: 50,
    fires: 1,
  },
  {
    alert: 'RequestsRefused',
    what: 'stays silent on 429',
    series: { [`ingest_replies_total{${ingest},status="429"}`]: '0+5x60' },
    atMinute: 50,
    fires: 0,
  },
  ...steady('BrokerAway', `ingest_broker_away{${ingest}}`, '0', '1'),
  {
    alert: 'BrokerAway',
    what: 'stays silent during a short restart',
    series: { [`ingest_broker_away{${ingest}}`]: '0x49 1 0x10' },
    atMinute: 51,
    fires: 0,
  },
  ...steady('LogNotDrained', `ingest_log_oldest_frame_seconds{${ingest}}`, '6', '300'),
  ...steady('LagHigh', 'workers_lag_seconds{partition="1",instance="a"}', '1', '61'),
  {
    alert: 'LagHigh',
    what: 'counts a partition once for all processes that report it',
    series: {
      'workers_lag_seconds{partition="1",instance="a"}': '100x60',
      'workers_lag_seconds{partition="1",instance="b"}': '120x60',
    },
    atMinute: 50,
    fires: 1,
  },
  {
    alert: 'LagHigh',
    what: 'clears when the process that reported it is gone and the new owner has no lag',
    series: {
      'workers_lag_seconds{partition="1",instance="a"}': '100x40 stale',
      'workers_lag_seconds{partition="1",instance="b"}': '_x40 0x20',
    },
    atMinute: 50,
    fires: 0,
  },
  {
    alert: 'WalNearLimit',
    what: 'fires over 80 %',
    series: {
      [`ingest_log_bytes{${ingest}}`]: '90x60',
      [`ingest_log_limit_bytes{${ingest}}`]: '100x60',
    },
    atMinute: 50,
    fires: 1,
  },
  {
    alert: 'WalNearLimit',
    what: 'stays silent without a log, whose limit is 0',
    series: {
      [`ingest_log_bytes{${ingest}}`]: '0x60',
      [`ingest_log_limit_bytes{${ingest}}`]: '0x60',
    },
    atMinute: 50,
    fires: 0,
  },
  ...steady('WalNearLimit', 'sluice_disk_full_seconds{folder="ingest_log_limit"}', never, '900'),
  ...steady('StreamNearFull', 'workers_stream_full_ratio{stream="INGEST"}', '0.2', '0.9'),
  ...steady('StoreRefusesEverything', 'workers_partition_store_fault{partition="0"}', '0', '1'),
  ...steady('StoresDisagree', 'workers_postgres_older{partition="0"}', '0', '1'),
  ...steady('DeadLetters', 'workers_dead_letters{reason="undigestible"}', '0', '2'),
  ...steady('QuotaNearLimit', 'workers_quota_used_ratio{project="p"}', '0.5', '0.95'),
  ...steady('EmailOldest', 'mailer_oldest_email_seconds{lane="urgent"}', '5', '1000'),
  {
    alert: 'EmailOldest',
    what: 'stays silent while a large campaign is sent',
    series: { 'mailer_oldest_email_seconds{lane="campaigns"}': '9000x60' },
    atMinute: 50,
    fires: 0,
  },
  ...steady('SmtpAway', 'mailer_smtp_away{instance="m"}', '0', '1'),
  ...['1', '20'].map((sent) => ({
    alert: 'EmailsDeferred',
    what: `with ${sent} sent for two deferred emails a minute`,
    series: {
      'mail_letters_total{end="queued",kind="send"}': '0+2x60',
      'mail_letters_total{end="sent",kind="send"}': `0+${sent}x60`,
    },
    atMinute: 50,
    fires: sent === '1' ? 1 : 0,
  })),
  ...steady('JobsFailed', 'workers_jobs_failed{task="quota_warning"}', '0', '1'),
  ...steady('NotificationsFailing', 'workers_delivery_late_seconds{instance="w"}', '5', '700'),
  ...['0.1', '5'].map((failed) => ({
    alert: 'NotificationsFailing',
    what: `with ${failed} given up a minute`,
    series: {
      'workers_delivery_attempts_total{end="failed",type="webhook"}': `0+${failed}x60`,
      'workers_delivery_attempts_total{end="retry",type="webhook"}': '0+9x60',
      'workers_delivery_late_seconds{instance="w"}': '0x60',
    },
    atMinute: 50,
    fires: failed === '5' ? 1 : 0,
  })),
  ...steady('ProcessDown', all.up, '1', '0').map((one) => ({
    ...one,
    series: { ...running, ...one.series },
  })),
  {
    alert: 'ProcessDown',
    what: 'fires when no process of a kind exists',
    series: { [all.up]: '1x60', 'sluice_build_info{process="ingest"}': '1x60' },
    atMinute: 50,
    fires: 3,
  },
  ...steady('NotReady', 'sluice_ready{instance="w"}', '1', '0'),
  ...steady('DependencyAway', 'sluice_dependency_up{dependency="nats"}', '1', '0'),
  ...steady('ClockOffset', 'sluice_clock_offset_seconds{instance="w"}', '-30', '-86400'),
  ...steady('DiskFullSoon', 'sluice_disk_full_seconds{folder="data"}', never, '80000'),
  {
    alert: 'DiskFullSoon',
    what: 'stays silent about a stream, which is emptied when workers commit',
    series: { 'sluice_disk_full_seconds{folder="nats:INGEST"}': '100x60' },
    atMinute: 50,
    fires: 0,
  },
  ...['60', '4'].map((free) => ({
    alert: 'DiskAlmostFull',
    what: `with ${free} % free`,
    series: {
      'sluice_disk_free_bytes{folder="data"}': `${free}x60`,
      'sluice_disk_size_bytes{folder="data"}': '100x60',
    },
    atMinute: 50,
    fires: free === '4' ? 1 : 0,
  })),
  // The clock of promtool begins at 0.
  {
    alert: 'BackupTooOld',
    what: 'fires after 36 hours',
    series: { sluice_backup_last_success_seconds: '1x300' },
    atMinute: 2_300,
    fires: 1,
  },
  {
    alert: 'BackupTooOld',
    what: 'stays silent without a backup',
    series: { sluice_backup_last_success_seconds: '0x300' },
    atMinute: 2_300,
    fires: 0,
  },
]

test('each alert has a case in which it fires and one in which it does not', () => {
  for (const { name } of alerts) {
    const own = cases.filter(({ alert }) => alert === name)
    expect(
      own.some(({ fires }) => fires > 0),
      `${name} fires`,
    ).toBe(true)
    expect(
      own.some(({ fires }) => fires === 0),
      `${name} stays silent`,
    ).toBe(true)
  }
})

describe.runIf(hasPromtool)('promtool', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'))
    writeFileSync(join(folder, 'rules.yml'), alertRules('docs/runbooks'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('accepts the rules', () => {
    const output = execFileSync('promtool', ['check', 'rules', 'rules.yml'], { cwd: folder })
    expect(String(output)).toContain(`${alerts.length} rules found`)
  })

  test.each([
    ['1m', 1_000],
    ['10m', 10_000],
  ])(
    'finds every alert firing, silent and cleared as expected, at intervals of %s',
    (interval, minutesMax) => {
      const chosen = cases.filter(({ atMinute }) => atMinute > 1_000 === minutesMax > 1_000)
      const tests = chosen.map(({ alert, what, series, atMinute, fires }) => ({
        name: `${alert} ${what}`,
        interval,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: `sum(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
            eval_time: `${atMinute}m`,
            exp_samples: [{ labels: '{}', value: fires }],
          },
        ],
      }))
      const file = { rule_files: ['rules.yml'], evaluation_interval: interval, tests }
      writeFileSync(join(folder, 'tests.yml'), JSON.stringify(file))
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'tests.yml'], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect(status, `${stdout}${stderr}`).toBe(0)
    },
  )
})
