import { describe, expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { parseSession, parseSessionSums } from './parse-sessions.ts'

const receivedAtMs = Date.UTC(2026, 10, 20, 12, 30)
const hourSecond = Date.UTC(2026, 10, 20, 12) / 1000
const sid = '4f12bc7c670d4a20856b0590f73b51de'
const sent = { projectId: 1 as ProjectId, recordId: 'f'.repeat(32), receivedAtMs }
const attrs = { release: 'shop@1.0.0', environment: 'staging' }
const started = '2026-11-20T12:01:47.186Z'

const session = (fields: object, sentAt?: string) =>
  parseSession({
    ...sent,
    sentAt,
    payload: Buffer.from(JSON.stringify({ sid, started, status: 'ok', attrs, ...fields })),
  })
const sums = (value: unknown) =>
  parseSessionSums({ ...sent, payload: Buffer.from(JSON.stringify(value)) })

describe('an update of a session', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['begins',                     { init: true },                                 { status: 'running',   isErrored: false }],
    ['met an error',               { errors: 1 },                                  { status: 'running',   isErrored: true }],
    ['ends well',                  { status: 'exited', errors: 0, duration: 0.30275 }, { status: 'exited', isErrored: false, durationMs: 303 }],
    ['ends well after an error',   { status: 'exited', errors: 2 },                { status: 'exited',    isErrored: true }],
    ['crashes at once',            { init: true, status: 'crashed', errors: 1 },   { status: 'crashed',   isErrored: true }],
    ['crashes without a count',    { status: 'crashed' },                          { status: 'crashed',   isErrored: true }],
    ['ends abnormally',            { status: 'abnormal', abnormal_mechanism: 'anr_foreground' }, { status: 'abnormal', isErrored: true }],
    ['had an unhandled error',     { status: 'unhandled' },                        { status: 'unhandled', isErrored: true }],
    ['of an old SDK had an error', { status: 'errored' },                          { status: 'running',   isErrored: true }],
    ['has an unknown status',      { status: 'sleeping' },                         { status: 'running',   isErrored: false }],
    ['names another way of its id', { sid: '4F12BC7C-670D-4A20-856B-0590F73B51DE' }, { sid }],
    ['has no id',                  { sid: undefined },                             { sid: 'f'.repeat(32) }],
    ['has the nil id',             { sid: '0'.repeat(32) },                        { sid: 'f'.repeat(32) }],
    ['has no environment',         { attrs: { release: 'a' } },                    { environment: 'production' }],
    ['has nulls',                  { did: null, duration: null, errors: null },    { userHash: 0, durationMs: 0 }],
    ['running takes no time yet',  { duration: 12 },                               { durationMs: 0 }],
    ['took longer than it can',    { status: 'exited', duration: 1e300 },          { durationMs: 2_592_000_000 }],
    ['began before its SDK could', { started: 1795176000 },                        { hourSecond: 1795176000 }],
  ] as const)('that %s', (_, fields, expected) => {
    expect(session(fields)).toMatchObject({ kind: 'update', update: expected })
  })

  test('belongs to the hour in which the session began', () => {
    expect(session({})).toMatchObject({
      update: { hourSecond, release: 'shop@1.0.0', counts: true },
    })
  })

  test('with a client clock that is hours off is corrected', () => {
    expect(session({ started: '2026-11-20T02:01:47Z' }, '2026-11-20T02:30:00Z')).toMatchObject({
      update: { hourSecond },
    })
  })

  test('identifies its user by a hash that differs between projects', () => {
    const hashOf = (did: unknown, projectId = sent.projectId) => {
      const payload = Buffer.from(JSON.stringify({ sid, started, attrs, did }))
      const parsed = parseSession({ ...sent, projectId, payload })
      return parsed.kind === 'update' ? parsed.update.userHash : undefined
    }
    expect(hashOf('a@example.com')).toBe(hashOf('a@example.com'))
    expect(hashOf(7)).toBe(hashOf('7'))
    expect(hashOf('a@example.com')).not.toBe(hashOf('b@example.com'))
    expect(hashOf('a@example.com')).not.toBe(hashOf('a@example.com', 2 as ProjectId))
    expect(hashOf('')).toBe(0)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no attributes',        { attrs: undefined },                        'invalid_session'],
    ['no release',           { attrs: { environment: 'x' } },             'invalid_session'],
    ['an empty release',     { attrs: { release: 'latest' } },            'invalid_session'],
    ['no start',             { started: undefined },                      'invalid_session'],
    ['a start in words',     { started: 'yesterday' },                    'invalid_session'],
    ['a future start',       { started: '2026-11-20T12:32:00Z' },         'invalid_session'],
    ['a start six days ago', { started: '2026-11-14T12:00:00Z' },         'invalid_session'],
  ] as const)('with %s is refused', (_, fields, reason) => {
    expect(session(fields)).toEqual({ kind: 'rejected', reason })
  })

  test.each(['', '{', '\xff'])('that is no JSON (%j) is refused', (text) => {
    expect(parseSession({ ...sent, payload: Buffer.from(text) })).toEqual({
      kind: 'rejected',
      reason: 'invalid_json',
    })
  })

  test.each(['null', '[]', '7', '"x"'])('that is no object (%s) is refused', (text) => {
    expect(parseSession({ ...sent, payload: Buffer.from(text) })).toEqual({
      kind: 'rejected',
      reason: 'invalid_session',
    })
  })
})

describe('sums of sessions', () => {
  const bucket = { started: '2026-11-20T12:01:00.000Z', exited: 120, errored: 3, crashed: 1 }
  const place = { projectId: 1, release: 'shop@1.0.0', environment: 'staging', hourSecond }

  test('count sessions by status', () => {
    expect(sums({ aggregates: [bucket], attrs })).toEqual({
      kind: 'sums',
      sums: [{ ...place, exited: 120, errored: 3, unhandled: 0, abnormal: 0, crashed: 1 }],
      users: [],
    })
  })

  test('can name a user for each', () => {
    const calm = { started: bucket.started, exited: 2, did: 'a' }
    const parsed = sums({ aggregates: [{ ...bucket, did: 'b' }, calm], attrs })
    expect(parsed).toMatchObject({
      users: [
        { ...place, status: 'crashed', counts: false },
        { ...place, status: 'exited', counts: false },
      ],
    })
  })

  test('are accepted without their invalid buckets', () => {
    const others = [null, 7, {}, { started: '2020-01-01T00:00:00Z', exited: 1 }]
    expect(sums({ aggregates: [...others, bucket], attrs })).toMatchObject({
      sums: [{ exited: 120 }],
    })
  })

  test.each([
    ['negative', -1],
    ['a fraction', 1.5],
    ['more than there can be', 1e12],
    ['text', '5'],
    ['null', null],
  ])('ignore a count that is %s', (_, exited) => {
    expect(sums({ aggregates: [{ ...bucket, exited }], attrs })).toMatchObject({
      sums: [{ exited: 0, errored: 3 }],
    })
  })

  test.each([
    ['no buckets', { attrs }],
    ['an empty list', { aggregates: [], attrs }],
    ['no release', { aggregates: [bucket], attrs: {} }],
    ['null', null],
  ])('are refused with %s', (_, value) => {
    expect(sums(value)).toEqual({ kind: 'rejected', reason: 'invalid_session' })
  })
})
