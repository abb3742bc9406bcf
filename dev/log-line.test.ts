import { expect, test } from 'vitest'
import { formatLine } from './log-line.ts'

const plain = { colored: false, withEngineChatter: false }
const nowMs = new Date(2026, 0, 2, 12, 0, 1).getTime()
const time = new Date(nowMs).toISOString()

// biome-ignore format: the columns are the point
test.each([
  ['a line of a service', 'ingest', { level: 'info', time, service: 'ingest', msg: 'Listening.', port: 8030 }, '12:00:01 ingest     info  Listening. port=8030'],
  ['fields that are objects', 'workers', { level: 'warn', time, msg: 'Odd.', range: [1, 2] }, '12:00:01 workers    warn  Odd. range=[1,2]'],
  ['the message of an error', 'api', { level: 'warn', time, msg: 'Failed.', err: { message: 'no route' } }, '12:00:01 api        warn  Failed. err=no route'],
  ['the stack of a fatal error', 'api', { level: 'fatal', time, msg: 'Crashed.', err: { message: 'no', stack: 'Error: no\n    at x' } }, '12:00:01 api        fatal Crashed. err=no\n    Error: no\n        at x'],
] as const)('%s', (_name, source, line, want) => {
  expect(formatLine(source, JSON.stringify(line), nowMs, plain)).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['any other text is shown unchanged', 'api',      'npm says hello',                                                    '12:00:01 api        info  npm says hello'],
  ['broken JSON as well',              'api',      '{"level":',                                                         '12:00:01 api        info  {"level":'],
  ['an error of Postgres',             'postgres', '2026-01-02 12:00:01.000 UTC [1] ERROR:  relation "x" is not there', '12:00:01 postgres   error [1] ERROR:  relation "x" is not there'],
  ['a warning of nats-server',         'nats',     '[9] 2026/01/02 12:00:01.000000 [WRN] Slow',                         '12:00:01 nats       warn  [WRN] Slow'],
  ['a Postgres LOG line is hidden',  'postgres', '2026-01-02 12:00:01.000 UTC [1] LOG:  checkpoint starting',         undefined],
  ['the next line of a statement too',    'postgres', '\tselect 1',                                                         undefined],
  ['the first query of the migrations',   'postgres', '2026-01-02 12:00:01.000 UTC [1] ERROR:  relation "migrations" does not exist at character 18', undefined],
  ['an INF line of NATS is hidden',       'nats',     '[9] 2026/01/02 12:00:01.000000 [INF] Server is ready',              undefined],
] as const)('%s', (_name, source, line, want) => {
  expect(formatLine(source, line, nowMs, plain)).toBe(want)
})

test('control characters are replaced', () => {
  const line = JSON.stringify({ level: 'info', time, msg: 'a\u001b[2Jb\u0007c\r', key: 'x\u0000' })
  expect(formatLine('api', line, nowMs, plain)).toBe('12:00:01 api        info  a·[2Jb·c· key=x·')
})

test('colored lines contain escape sequences for colors', () => {
  const line = JSON.stringify({ level: 'info', time, msg: 'Hi.' })
  expect(formatLine('api', line, nowMs, { ...plain, colored: true })).toContain('\u001b[32minfo ')
})
