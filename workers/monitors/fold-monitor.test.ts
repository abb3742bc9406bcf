/**
 * Runs of monitors, written as lists of check-ins and minutes. Times are minutes of one hour,
 * `m:ss`.
 */
import { describe, expect, test } from 'vitest'
import type { CheckInStatus } from '#schemas/wire/check-in.ts'
import type { MonitorConfig } from '#schemas/wire/monitor-config.ts'
import { type Plain, written } from '../../test/fixtures/workers/written.ts'
import {
  type CheckInRecord,
  defaultConfig,
  type FoldedMonitor,
  foldMonitor,
  type StoredMonitor,
} from './fold-monitor.ts'
import { freshState } from './monitor-run.ts'

const hour = Date.parse('2026-11-21T10:00:00Z')
const minuteMs = 60_000

/** Every ten minutes, at most a minute late, running at most two minutes. */
const config: MonitorConfig = {
  schedule: { type: 'crontab', value: '*/10 * * * *' },
  timezone: 'UTC',
  checkinMargin: 1,
  maxRuntime: 2,
  failureIssueThreshold: 1,
  recoveryThreshold: 1,
}

const fresh: StoredMonitor = {
  projectId: 1,
  id: 'monitor',
  slug: 'nightly',
  config: defaultConfig,
  muted: false,
  isDue: false,
  environments: new Map(),
  runs: [],
}

/** `0:30 a in_progress`, `1:00 a ok 2.5` (seconds), `5:00 - ok` (no id), `11` (a minute passes). */
type Story = readonly string[]

let recordNo = 0

function at(text: string): number {
  const [minutes, seconds = '0'] = text.split(':')
  return hour + Number(minutes) * minuteMs + Number(seconds) * 1000
}

function checkInOf(line: string, fields: Partial<Plain<CheckInRecord>>): CheckInRecord {
  const [time = '', id = '', status = '', seconds] = line.split(' ')
  recordNo += 1
  return written<CheckInRecord>({
    projectId: 1,
    dsnKeyNo: 1,
    component: '',
    sdk: '',
    recordId: `record-${recordNo}`,
    receivedAtMs: at(time),
    slug: 'nightly',
    checkInId: id === '-' ? undefined : id,
    status: status as CheckInStatus,
    environment: 'production',
    durationMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    release: undefined,
    trace: undefined,
    config,
    error: undefined,
    ...fields,
  })
}

/** Each line is a separate range, so that every state is stored and read again. */
function runStory(story: Story, fields: Partial<Plain<CheckInRecord>> = {}, from = fresh) {
  let monitor = from
  const failures: string[] = []
  const recoveries: string[] = []
  const refusals: string[] = []
  for (const line of story) {
    const isMinute = !line.includes(' ')
    const folded = foldMonitor(
      monitor,
      isMinute ? [] : [checkInOf(line, fields)],
      isMinute ? [at(line)] : [],
    )
    for (const { kind, atMs } of folded.failures) failures.push(`${kind} ${clock(atMs)}`)
    for (const { atMs } of folded.recoveries) recoveries.push(clock(atMs))
    refusals.push(...folded.refusals.map(({ reason }) => reason))
    monitor = next(monitor, folded)
  }
  const runs = monitor.runs.map(({ id, status, result }) => {
    const name = id.length === 32 ? '*' : id
    return [name, status, result].filter((word) => word !== undefined).join(' ')
  })
  return { monitor, runs, failures, recoveries, refusals }
}

function next(before: StoredMonitor, { monitor, environments, runs }: FoldedMonitor) {
  const states = new Map(before.environments)
  for (const { identity, state } of environments) states.set(identity.environment, state)
  const all = new Map(before.runs.map((run) => [run.id, run]))
  for (const run of runs) all.set(run.id, run)
  return { ...monitor, environments: states, runs: [...all.values()] }
}

function clock(ms: number | undefined): string {
  if (ms === undefined) return 'never'
  const seconds = (ms - hour) / 1000
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function stateIn(monitor: StoredMonitor, environment = 'production') {
  return monitor.environments.get(environment) ?? freshState
}

describe('a run', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['opens                                           ', ['0:30 a in_progress'],                                     ['a running']],
    ['closes with ok                                  ', ['0:30 a in_progress', '1:00 a ok'],                        ['a closed ok']],
    ['closes with an error                            ', ['0:30 a in_progress', '1:00 a error'],                     ['a closed error']],
    ['is complete with only its end                   ', ['0:30 a ok'],                                              ['a closed ok']],
    ['continues while another one begins              ', ['0:10 a in_progress', '0:20 b in_progress', '0:30 a ok'],  ['a closed ok', 'b running']],
    ['is not opened again by the beginning that late  ', ['0:30 a ok', '0:31 a in_progress'],                        ['a closed ok']],
    ['ends once                                       ', ['0:30 a ok', '0:31 a error'],                              ['a closed ok']],
    ['takes too long                                  ', ['0:30 a in_progress', '2'],                                ['a overrunning']],
    ['may take until the minute is full               ', ['0:30 a in_progress', '1'],                                ['a running']],
    ['that took too long stays so when it ends        ', ['0:30 a in_progress', '2', '3:00 a ok'],                   ['a overrunning']],
    ['is extended by a check-in                       ', ['0:30 a in_progress', '1:30 a in_progress', '2'],          ['a running']],
    ['that was extended still times out               ', ['0:30 a in_progress', '1:30 a in_progress', '3'],          ['a overrunning']],
    ['without an id opens                             ', ['0:30 - in_progress'],                                     ['record running']],
    ['without an id closes the newest running         ', ['0:10 a in_progress', '0:20 b in_progress', '0:30 - ok'],  ['a running', 'b closed ok']],
    ['without an id is extended                       ', ['0:10 a in_progress', '1:30 - in_progress', '2'],          ['a running']],
    ['without an id is complete if none runs          ', ['0:30 - error'],                                           ['record closed error']],
  ] as const)('%s', (_name, story, want) => {
    expect(runStory(story).runs.map((run) => run.replace(/record-\d+/, 'record'))).toEqual(want)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['as the client measured it    ', ['0:10 a in_progress', '0:40 a ok 12.5'],        'a', 12_500, '0:10'],
    ['between the two check-ins    ', ['0:10 a in_progress', '0:40 a ok'],             'a', 30_000, '0:10'],
    ['before the only one          ', ['0:40 a ok 12'],                                'a', 12_000, '0:28'],
    ['of nothing                   ', ['0:40 a ok'],                                   'a', 0,      '0:40'],
    ['of an overrunning one        ', ['0:10 a in_progress', '2', '4:10 a ok'],        'a', 240_000, '0:10'],
  ] as const)('lasts %s', (_name, story, id, durationMs, startedAt) => {
    const run = runStory(story).monitor.runs.find((each) => each.id === id)
    expect([run?.durationMs, clock(run?.startedAtMs)]).toEqual([durationMs, startedAt])
  })

  test('is never extended beyond 28 days', () => {
    const longest = { ...config, maxRuntime: 40_320 }
    const days = (count: number) => `${count * 24 * 60}:00`
    const story = ['0:00 a in_progress', `${days(27)} a in_progress`, days(28)]
    expect(runStory(story, { config: longest }).runs.filter((run) => run.startsWith('a'))).toEqual([
      'a overrunning',
    ])
  })

  test('keeps the time at which it was expected', () => {
    const { runs } = runStory(['0:30 a ok', '10:05 b in_progress']).monitor
    expect(runs.map(({ expectedAtMs }) => clock(expectedAtMs))).toEqual(['never', '10:00'])
  })
})

describe('a check-in is refused', () => {
  test('when its id belongs to another environment', () => {
    const { monitor } = runStory(['0:30 a in_progress'])
    const other = runStory(['0:40 a ok'], { environment: 'staging' }, monitor)
    expect(other.refusals).toEqual(['id_in_use'])
    expect(other.runs).toEqual(['a running'])
  })

  test('when its run has ended', () => {
    expect(runStory(['0:30 a ok', '0:40 a ok']).refusals).toEqual(['already_finished'])
    expect(runStory(['0:30 a in_progress', '2', '3:00 a ok', '3:01 a ok']).refusals).toEqual([
      'already_finished',
    ])
  })

  test('when it is the seventh of a minute', () => {
    const story = [1, 2, 3, 4, 5, 6, 7].map((second) => `0:0${second} r${second} ok`)
    const { runs, refusals } = runStory([...story, '1:00 later ok'])
    expect(refusals).toEqual(['rate_limited'])
    expect(runs).toHaveLength(7)
  })

  test('when there are too many environments; existing ones still work', () => {
    let { monitor } = runStory(['0:30 a ok'])
    const stage = (index: number) => ({ environment: `stage-${index}` })
    for (let index = 0; index < 49; index += 1) {
      monitor = runStory([`0:30 s${index} ok`], stage(index), monitor).monitor
    }
    expect(runStory(['0:30 s49 ok'], stage(49), monitor).refusals).toEqual([
      'too_many_environments',
    ])
    expect(runStory(['0:40 b ok'], {}, monitor).refusals).toEqual([])
  })
})

describe('the next run', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['is expected after the end             ', ['0:30 a ok'],                                     '10:00'],
    ['is expected after the beginning       ', ['0:30 a in_progress'],                            '10:00'],
    ['is expected after an extension        ', ['9:30 a in_progress', '10:30 a in_progress'],     '20:00'],
    ['is not moved back by an older one     ', ['10:30 a ok', '9:59 b ok'],                       '20:00'],
    ['is not moved by a refused one         ', ['9:30 a ok', '10:30 a ok'],                       '10:00'],
    ['follows one that was missed           ', ['0:30 a ok', '11'],                               '20:00'],
    ['is the first after a long silence     ', ['0:30 a ok', '45'],                               '50:00'],
  ] as const)('%s', (_name, story, want) => {
    expect(clock(stateIn(runStory(story).monitor).expectedAtMs)).toBe(want)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['is missed when the margin is over      ', ['0:30 a ok', '11'],                     ['missed 11:00']],
    ['is not missed before                   ', ['0:30 a ok', '10'],                     []],
    ['is not missed when it began in time    ', ['0:30 a ok', '10:59 b in_progress', '11'], []],
    ['is missed though it begins right after ', ['0:30 a ok', '11:00 b in_progress'],    ['missed 11:00']],
    ['is missed once                         ', ['0:30 a ok', '11', '11', '12'],         ['missed 11:00']],
    ['is missed repeatedly                   ', ['0:30 a ok', '11', '21', '31'],         ['missed 11:00', 'missed 21:00', 'missed 31:00']],
    ['is missed once in a long silence       ', ['0:30 a ok', '45'],                     ['missed 11:00']],
    ['is never missed before a first check-in', ['11', '21'],                            []],
  ] as const)('%s', (_name, story, want) => {
    expect(runStory(story).failures).toEqual(want)
  })

  test('of a monitor without a schedule is never missed, and its runs can take too long', () => {
    const story = ['0:30 a in_progress', '29', '30', '600']
    const { failures, monitor } = runStory(story, { config: undefined })
    expect(failures).toEqual(['overrunning 30:00'])
    expect(stateIn(monitor).expectedAtMs).toBeUndefined()
  })

  test('is computed again when the schedule changes, and no run of the former one is missed', () => {
    const { monitor } = runStory(['0:30 a ok'])
    const hourly = { ...config, schedule: { type: 'crontab', value: '0 * * * *' } as const }
    const changed = runStory(['5:00 s ok'], { config: hourly, environment: 'staging' }, monitor)
    expect(changed.monitor.config).toEqual(hourly)
    const later = runStory(['11', '59'], {}, changed.monitor)
    expect(later.failures).toEqual([])
    expect(clock(stateIn(later.monitor).expectedAtMs)).toBe('60:00')
  })

  test('uses the former config when a new one is invalid', () => {
    const { monitor } = runStory(['0:30 a ok'])
    const error = { kind: 'invalid', field: 'schedule.value', rule: 'must be better' } as const
    const told = runStory(['1:00 b ok'], { config: undefined, error }, monitor)
    expect(told.monitor.config).toEqual(config)
    const checkIn = checkInOf('2:00 c ok', { config: undefined, error })
    expect(foldMonitor(monitor, [checkIn], []).problem).toEqual({
      atMs: at('2:00'),
      reason: 'invalid_config',
      environment: 'production',
      detail: 'schedule.value must be better',
    })
  })
})

describe('an incident', () => {
  const patient = { ...config, failureIssueThreshold: 2, recoveryThreshold: 2 }

  // biome-ignore format: the columns are the point
  test.each([
    ['opens with the first failure                  ', config,  ['0:10 a error'],                                                    ['error 0:10'],                  []],
    ['creates an event for each failure             ', config,  ['0:10 a error', '1:10 b in_progress', '3', '11'],                   ['error 0:10', 'overrunning 3:00', 'missed 11:00'], []],
    ['ends with the first success                   ', config,  ['0:10 a error', '1:00 b ok', '2:00 c ok'],                          ['error 0:10'],                  ['1:00']],
    ['waits for the configured failures             ', patient, ['0:10 a error', '1:00 b error', '2:00 c error'],                    ['error 1:00', 'error 2:00'],    []],
    ['counts failures in a row                      ', patient, ['0:10 a error', '1:00 b ok', '2:00 c error'],                       [],                              []],
    ['waits for the configured successes            ', patient, ['0:10 a error', '1:00 b error', '2:00 c ok', '3:00 d ok'],          ['error 1:00'],                  ['3:00']],
    ['counts successes in a row                     ', patient, ['0:10 a error', '1:00 b error', '2:00 c ok', '3:00 d error', '4:00 e ok'], ['error 1:00', 'error 3:00'], []],
    ['is not ended by a beginning                   ', config,  ['0:10 a error', '1:00 b in_progress'],                              ['error 0:10'],                  []],
    ['is not ended by the late end of a failure     ', config,  ['0:10 a in_progress', '2', '3:00 a ok'],                            ['overrunning 2:00'],            []],
  ] as const)('%s', (_name, rules, story, failures, recoveries) => {
    const told = runStory(story, { config: rules })
    expect([told.failures, told.recoveries]).toEqual([failures, recoveries])
  })

  test('of a muted monitor creates no events, and ends', () => {
    const told = runStory(['0:10 a error', '1:00 b ok'], {}, { ...fresh, muted: true })
    expect([told.failures, told.recoveries]).toEqual([[], ['1:00']])
    expect(told.runs).toEqual(['a closed error', 'b closed ok'])
  })

  test('is separate for each environment', () => {
    const { monitor } = runStory(['0:10 a error'])
    const staging = runStory(['1:00 b ok'], { environment: 'staging' }, monitor)
    expect(staging.recoveries).toEqual([])
    expect(stateIn(staging.monitor).incident?.kind).toBe('error')
  })
})

test('a backlog of an hour misses no run that arrived in time', () => {
  const checkIns: CheckInRecord[] = []
  for (let minute = 0; minute < 60; minute += 10) {
    checkIns.push(checkInOf(`${minute}:05 r${minute} ok`, {}))
  }
  const minutes = Array.from({ length: 60 }, (_, index) => hour + index * minuteMs)
  expect(foldMonitor(fresh, checkIns, minutes).failures).toEqual([])
})

test('without passing minutes no run is missed, and late check-ins are runs', () => {
  const { monitor } = runStory(['0:30 a ok'])
  const late = foldMonitor(monitor, [checkInOf('31:00 d ok', {})], undefined)
  expect(late.failures).toEqual([])
  const story = ['10:10 b ok', '20:10 c ok', '40']
  const told = runStory(story, {}, next(monitor, late))
  expect([told.failures, told.runs]).toEqual([
    [],
    ['a closed ok', 'd closed ok', 'b closed ok', 'c closed ok'],
  ])
})
