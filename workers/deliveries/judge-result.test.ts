import { describe, expect, test } from 'vitest'
import type { RequestResult } from '#platform/http/safe-request/safe-request.ts'
import type { AlertTargetType } from '#schemas/rest/alerts/target.ts'
import { judgeResult } from './judge-result.ts'

const nowMs = Date.parse('2026-11-23T08:00:00Z')
const response = (status: number, more: { body?: string; retryAfter?: string } = {}) =>
  ({ kind: 'response', status, body: more.body ?? '', retryAfter: more.retryAfter }) as const
const judge = (type: AlertTargetType, result: RequestResult) => judgeResult(type, result, nowMs)
const services = ['slack', 'discord', 'telegram', 'ntfy', 'pagerduty', 'opsgenie'] as const
const types = ['webhook', 'teams', ...services] as const

describe.each(types)('%s', (type) => {
  test.each([200, 201, 202, 204, 299])('%i is success', (status) => {
    expect(judge(type, response(status))).toEqual({ kind: 'delivered' })
  })

  test('410 ends the target', () => {
    expect(judge(type, response(410))).toEqual({
      kind: 'gone',
      error: 'The receiver answered 410.',
    })
  })

  test.each([100, 199, 301, 302, 307, 401, 403, 404, 408, 409, 500, 502, 503, 504, 599])(
    '%i is retried',
    (status) => {
      expect(judge(type, response(status))).toMatchObject({ kind: 'retry', isThrottled: false })
    },
  )

  test.each([
    ['no header', undefined, 5_000],
    ['seconds', '90', 90_000],
    ['a date', 'Mon, 23 Nov 2026 08:00:30 GMT', 30_000],
    ['0', '0', 0],
  ])('429 with %s is a pause that the target is not blamed for', (_what, retryAfter, ms) => {
    const result = response(429, retryAfter === undefined ? {} : { retryAfter })
    expect(judge(type, result)).toMatchObject({
      kind: 'retry',
      isThrottled: true,
      retryAfterMs: ms,
    })
  })

  test('503 with Retry-After is retried then', () => {
    expect(judge(type, response(503, { retryAfter: '7' }))).toMatchObject({ retryAfterMs: 7_000 })
  })

  test.each(['refused', 'failed'] as const)('a request that is %s is retried', (kind) => {
    expect(judge(type, { kind, reason: 'Why.' })).toMatchObject({ kind: 'retry', error: 'Why.' })
  })
})

test.each([400, 413, 422])('%i is final for services with a documented format', (status) => {
  for (const type of services) expect(judge(type, response(status)).kind).toBe('failed')
  expect(judge('webhook', response(status)).kind).toBe('retry')
})

test('Teams answers 400 while a workflow is off', () => {
  expect(judge('teams', response(400)).kind).toBe('retry')
  expect(judge('teams', response(413)).kind).toBe('failed')
})

// biome-ignore format: the columns are the point
test.each([
  ['discord', '{"message": "Unknown Webhook", "code": 10015}', 'gone'],
  ['discord', '{"code": 0}',                                   'retry'],
  ['discord', '<html>',                                        'retry'],
  ['slack',   'no_service',                                    'gone'],
  ['slack',   'no_team',                                       'gone'],
  ['slack',   'channel_not_found',                             'retry'],
  ['webhook', 'no_service',                                    'retry'],
] as const)('%s: 404 with %s is %s', (type, body, kind) => {
  expect(judge(type, response(404, { body })).kind).toBe(kind)
})

// biome-ignore format: the columns are the point
test.each([
  ['telegram', '{"ok":false,"error_code":429,"parameters":{"retry_after":33}}', 33_000],
  ['discord',  '{"message":"limited","retry_after":1.5,"global":false}',         1_500],
  ['discord',  '{"retry_after":"soon"}',                                         5_000],
  ['discord',  '{"retry_after":-1}',                                             5_000],
  ['telegram', 'null',                                                           5_000],
  ['webhook',  '{"retry_after":33}',                                             5_000],
] as const)('%s: the body %s asks for %i ms', (type, body, ms) => {
  expect(judge(type, response(429, { body }))).toMatchObject({ retryAfterMs: ms })
})
