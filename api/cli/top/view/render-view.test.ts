import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advise } from '../../../operation/advice/advise.ts'
import { newHistory, type Observed } from '../../../operation/processes/metric-values.ts'
import { parsePrometheus } from '../../../operation/processes/prometheus-text.ts'
import { readSnapshot } from '../../../operation/processes/read-snapshot.ts'
import type { Readiness } from '../../../operation/processes/scrape.ts'
import { renderView } from './render-view.ts'

const nowMs = Date.parse('2026-11-21T12:00:00.000Z')
const hostile = '\u001b[2J\\"\\\\}x\\n'

/** Two scrapes, one second apart. */
function observed(name: string, texts: readonly [string, string], readiness?: Readiness): Observed {
  const history = newHistory()
  const [before, after] = texts.map(parsePrometheus)
  if (before && after) {
    history.add(0, before)
    history.add(1_000, after)
  }
  return {
    target: { name, metricsUrl: `http://127.0.0.1/${name}` },
    atMs: 1_000,
    metrics: after,
    readiness: readiness ?? { state: 'ready', reasons: [] },
    error: undefined,
    history,
  }
}

const ingest = (frames: number) => `
sluice_build_info{process="ingest",version="1.2.3",installation="0d9f3f6e-3a5c-4a3b-9d53-8f6f4f8a1c20"} 1
process_cpu_seconds_total ${frames / 100}
process_start_time_seconds ${nowMs / 1000 - 3_600}
process_resident_memory_bytes 1e8
ingest_replies_total{status="200"} ${frames * 10}
ingest_replies_total{status="429"} ${frames}
ingest_frames_acknowledged_total ${frames}
ingest_log_bytes 1048576
ingest_log_limit_bytes 2147483648
ingest_log_oldest_frame_seconds 0.4
ingest_broker_away 0
sluice_disk_free_bytes{folder="ingest_log"} 5e10
sluice_disk_size_bytes{folder="ingest_log"} 1e11
sluice_disk_full_seconds{folder="ingest_log"} +Inf
sluice_clock_offset_seconds 0.02
`
const worker = (events: number, partition: number) => `
process_cpu_seconds_total 1
workers_partitions_owned 1
workers_events_digested_total ${events}
workers_lag_seconds{partition="${partition}"} ${partition}
workers_lag_events{partition="${partition}"} 12
workers_seconds_since_commit{partition="${partition}"} 0.5
workers_jobs_waiting{task="mail"} 7
workers_dead_letters{reason="undigestible"} 2
workers_items_dropped_total{outcome="filtered",reason="browser"} ${events}
workers_quota_used_ratio{project="${hostile}"} 0.93
sluice_backup_last_success_seconds ${nowMs / 1000 - 7_200}
`
const mailer = (sent: number) => `
process_cpu_seconds_total 1
mail_lines_open 1
mail_letters_total{kind="send",end="sent"} ${sent}
mail_letters_total{kind="send",end="failed"} ${sent}
mailer_emails_waiting{lane="urgent"} 4
mailer_oldest_email_seconds{lane="urgent"} 30
mailer_smtp_away 0
`

const notReady: Readiness = { state: 'not ready', reasons: ['postgres: no \u001b]0;x answer'] }
const all = [
  observed('ingest', [ingest(0), ingest(10)]),
  observed('workers 10.0.0.1', [worker(0, 0), worker(30, 0)]),
  observed('workers 10.0.0.2', [worker(0, 1), worker(20, 1)], notReady),
  observed('mailer', [mailer(0), mailer(3)]),
]
const snapshot = readSnapshot(all, nowMs)

test('what processes count for themselves is added up, what they read from stores is not', () => {
  expect(snapshot.ingest).toMatchObject({
    requestsPerSecond: { '2xx': 100, '4xx': 10, '5xx': 0 },
    framesPerSecond: 10,
    oldestFrameSeconds: 0.4,
  })
  expect(snapshot.workers).toMatchObject({
    eventsPerSecond: 50,
    jobsWaiting: { mail: 7 },
    deadLetters: { undigestible: 2 },
  })
  expect(
    snapshot.workers?.partitions.map(({ partition, lagSeconds }) => [partition, lagSeconds]),
  ).toEqual([
    ['0', 0],
    ['1', 1],
  ])
  expect(snapshot.mail).toEqual({
    lanes: [{ lane: 'urgent', waiting: 4, oldestSeconds: 30 }],
    sentPerSecond: 3,
    smtpAway: false,
  })
  expect(snapshot.dropsPerMinute).toEqual([
    { outcome: 'filtered', reason: 'browser', perMinute: 3_000 },
  ])
  expect(snapshot.missing).toEqual([{ dependency: 'postgres', processes: ['workers 10.0.0.2'] }])
  expect(snapshot.processes.map(({ kind, state, version }) => [kind, state, version])).toEqual([
    ['ingest', 'ready', '1.2.3'],
    ['workers', 'ready', null],
    ['workers', 'not ready', null],
    ['mailer', 'ready', null],
  ])
})

test('metrics that no process has are left out', () => {
  const bare = readSnapshot([observed('api', ['', 'api_request_duration_seconds_count 1'])], nowMs)
  expect(bare).toMatchObject({ ingest: null, workers: null, mail: null, disks: [], quota: [] })
  const lines = renderView(bare, advise(bare), plain(80))
  expect(lines.join('\n')).not.toMatch(/INGEST|WORKERS|MAIL|QUOTA|STORAGE|CLOCKS|BACKUP/)
})

const plain = (columns: number, rows?: number) => ({
  columns,
  rows,
  isColored: false,
  clock: '12:00',
})
const widthOf = (line: string) => [...line].length

test('80 columns hold everything', () => {
  const lines = renderView(snapshot, advise(snapshot), plain(80))
  const text = lines.join('\n')
  for (const words of [
    '3 of 4 processes ready',
    'workers 10.0.0.2 cannot use Postgres',
    '110 requests/s   2xx 100   4xx 10   10 frames/s',
    'log 1.0 MB of 2.0 GB   oldest frame 0.4 s   NATS ok',
    '50 events/s   2 dead letters   jobs 7 waiting   0 failed',
    '3 sent/s   SMTP ok',
    'does not fill',
    '93 %',
    '?[2J"\\}x?',
    '2 h ago',
  ]) {
    expect(text).toContain(words)
  }
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(80)
})

test('a wide terminal has two columns and fewer lines', () => {
  const narrow = renderView(snapshot, advise(snapshot), plain(80))
  const wide = renderView(snapshot, advise(snapshot), plain(180))
  expect(wide.length).toBeLessThan(narrow.length * 0.8)
})

test('a low terminal says that there is more', () => {
  const lines = renderView(snapshot, advise(snapshot), plain(80, 10))
  expect(lines).toHaveLength(10)
  expect(lines.at(-1)).toMatch(/^\d+ more lines/)
})

test('no width or height is exceeded, and no control character of a process gets through', () => {
  const sizes = fc.record({
    columns: fc.integer({ min: 40, max: 300 }),
    rows: fc.integer({ min: 1, max: 80 }),
  })
  fc.assert(
    fc.property(sizes, ({ columns, rows }) => {
      const lines = renderView(snapshot, advise(snapshot), plain(columns, rows))
      expect(lines.length).toBeLessThanOrEqual(rows)
      for (const line of lines) {
        expect(widthOf(line)).toBeLessThanOrEqual(columns)
        expect(line).not.toMatch(/\p{Cc}/u)
      }
    }),
  )
})

test('colours are the only difference of a coloured view', () => {
  const colored = renderView(snapshot, advise(snapshot), { ...plain(80), isColored: true })
  expect(colored.join('\n')).toContain('\u001b[1;31m')
  const bare = colored.map((line) => stripVTControlCharacters(line).trimEnd())
  expect(bare).toEqual(renderView(snapshot, advise(snapshot), plain(80)))
})
