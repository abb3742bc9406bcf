import { describe, expect, test } from 'vitest'
import { parseCheckIn } from './check-in.ts'

const id = '63e8d738af844aaeaf482743606c9a1e'
const crontab = { type: 'crontab', value: '0 * * * *' }

function parse(fields: unknown) {
  return parseCheckIn(Buffer.from(typeof fields === 'string' ? fields : JSON.stringify(fields)))
}

function checkInOf(fields: object) {
  const parsed = parse({ monitor_slug: 'nightly', status: 'ok', ...fields })
  if (parsed.kind === 'rejected') throw new Error(parsed.reason)
  return parsed
}

test('every field of a check-in of the Node SDK is read', () => {
  const parsed = parse({
    check_in_id: id,
    monitor_slug: 'nightly',
    status: 'in_progress',
    release: 'app@1.0.0',
    environment: 'staging',
    monitor_config: {
      schedule: crontab,
      checkin_margin: 5,
      max_runtime: 10,
      timezone: 'UTC',
      failure_issue_threshold: 2,
      recovery_threshold: 1,
    },
    contexts: { trace: { trace_id: `f825${'0'.repeat(24)}9649`, span_id: '8d53000000000b74' } },
  })
  expect(parsed).toEqual({
    kind: 'check_in',
    error: undefined,
    checkIn: {
      slug: 'nightly',
      checkInId: id,
      status: 'in_progress',
      environment: 'staging',
      durationMs: undefined,
      release: 'app@1.0.0',
      trace: { traceId: `f825${'0'.repeat(24)}9649`, spanId: '8d53000000000b74' },
      config: {
        schedule: crontab,
        timezone: 'UTC',
        checkinMargin: 5,
        maxRuntime: 10,
        failureIssueThreshold: 2,
        recoveryThreshold: 1,
      },
    },
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['upper case               ', 'Nightly-Backup',   'nightly-backup'],
  ['words                    ', ' Nightly backup! ', 'nightly-backup'],
  ['a script other than Latin', 'Übung_1',          'übung_1'],
  ['more than 50 characters  ', 'x'.repeat(60),     'x'.repeat(50)],
] as const)('a slug in %s is normalised', (_name, slug, want) => {
  expect(checkInOf({ monitor_slug: slug }).checkIn.slug).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['no id                 ', {},                                             { checkInId: undefined }],
  ['an id of zeros        ', { check_in_id: '0'.repeat(32) },                { checkInId: undefined }],
  ['a dashed id           ', { check_in_id: '63E8D738-AF84-4AAE-AF48-2743606C9A1E' }, { checkInId: id }],
  ['no environment        ', { environment: null },                          { environment: 'production' }],
  ['an empty environment  ', { environment: '' },                            { environment: 'production' }],
  ['a duration in seconds ', { duration: 12.3456 },                          { durationMs: 12_346 }],
  ['a negative duration   ', { duration: -1 },                               { durationMs: undefined }],
  ['a duration as text    ', { duration: '12' },                             { durationMs: undefined }],
  ['a release of controls ', { release: 'a\u0000b' },                        { release: undefined }],
  ['a release cut in half ', { release: 'a\ud800' },                         { release: undefined }],
  ['a trace without a span', { contexts: { trace: { trace_id: id } } },      { trace: { traceId: id, spanId: undefined } }],
  ['contexts of nonsense  ', { contexts: [1] },                              { trace: undefined }],
] as const)('%s is read', (_name, fields, want) => {
  expect(checkInOf(fields).checkIn).toMatchObject(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['no JSON                  ', '{',                                                         'invalid_json'],
  ['a list                   ', '[]',                                                        'invalid_json'],
  ['no slug                  ', { status: 'ok' },                                            'invalid_check_in'],
  ['a slug of nothing        ', { status: 'ok', monitor_slug: ' -- ' },                      'invalid_check_in'],
  ['no status                ', { monitor_slug: 'nightly' },                                 'invalid_check_in'],
  ['a status that we decide  ', { monitor_slug: 'nightly', status: 'missed' },               'invalid_check_in'],
  ['an invalid id            ', { monitor_slug: 'nightly', status: 'ok', check_in_id: 'x' }, 'invalid_check_in'],
  ['half an environment      ', { monitor_slug: 'nightly', status: 'ok', environment: 'a\ud83d' }, 'invalid_check_in'],
  ['an environment too long  ', { monitor_slug: 'nightly', status: 'ok', environment: 'x'.repeat(65) }, 'invalid_check_in'],
] as const)('%s is rejected', (_name, fields, reason) => {
  expect(parse(fields)).toEqual({ kind: 'rejected', reason })
})

describe('monitor_config', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['what is missing has its default   ', { schedule: crontab },                                           { timezone: 'UTC', checkinMargin: 1, maxRuntime: 30, failureIssueThreshold: 1, recoveryThreshold: 1 }],
    ['zero and null are missing         ', { schedule: crontab, checkin_margin: 0, max_runtime: null },     { checkinMargin: 1, maxRuntime: 30 }],
    ['a part of a minute is a minute    ', { schedule: crontab, checkin_margin: 0.5 },                      { checkinMargin: 1 }],
    ['an old name of a zone             ', { schedule: crontab, timezone: 'Asia/Calcutta' },                { timezone: 'Asia/Calcutta' }],
    ['an interval                       ', { schedule: { type: 'interval', value: 2, unit: 'hour' } },      { schedule: { type: 'interval', value: 2, unit: 'hour' } }],
    ['an interval as text               ', { schedule: { type: 'interval', value: '2', unit: 'day' } },     { schedule: { type: 'interval', value: 2, unit: 'day' } }],
    ['the longest margin                ', { schedule: crontab, checkin_margin: 40_320 },                   { checkinMargin: 40_320 }],
  ] as const)('%s', (_name, config, want) => {
    const { checkIn, error } = checkInOf({ monitor_config: config })
    expect([error, checkIn.config]).toMatchObject([undefined, want])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['text                        ', 'daily',                                                              'monitor_config'],
    ['no schedule                 ', { timezone: 'UTC' },                                                  'schedule'],
    ['a schedule of another type  ', { schedule: { type: 'sun', value: 'rise' } },                         'schedule.type'],
    ['six fields                  ', { schedule: { type: 'crontab', value: '0 0 0 * * *' } },              'schedule.value'],
    ['seconds                     ', { schedule: { type: 'interval', value: 5, unit: 'second' } },         'schedule.unit'],
    ['no interval                 ', { schedule: { type: 'interval', value: 0, unit: 'hour' } },           'schedule.value'],
    ['half an interval            ', { schedule: { type: 'interval', value: 1.5, unit: 'hour' } },         'schedule.value'],
    ['more than ten years         ', { schedule: { type: 'interval', value: 11, unit: 'year' } },          'schedule.value'],
    ['a zone that is none         ', { schedule: crontab, timezone: 'Mars/Olympus' },                      'timezone'],
    ['an offset as zone           ', { schedule: crontab, timezone: '+02:00' },                            'timezone'],
    ['a margin of more than 28 days', { schedule: crontab, checkin_margin: 40_321 },                       'checkin_margin'],
    ['a negative runtime          ', { schedule: crontab, max_runtime: -5 },                               'max_runtime'],
    ['a threshold beyond 720      ', { schedule: crontab, recovery_threshold: 721 },                       'recovery_threshold'],
  ] as const)('of %s is dropped and reported, and the check-in is kept', (_name, config, field) => {
    const { checkIn, error } = checkInOf({ monitor_config: config })
    expect([checkIn.config, error?.field]).toEqual([undefined, field])
  })
})
