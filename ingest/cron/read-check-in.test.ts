import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCheckIn } from './read-check-in.ts'

const id = '5f0c1d2e3a4b4c5d8e9f001122334455'
const nil = '0'.repeat(32)

function read({ query = '', body = '', slug = 'nightly' }) {
  const checkIn = readCheckIn({ slug, query, body: Buffer.from(body) })
  return checkIn.kind === 'check_in'
    ? JSON.parse(checkIn.payload)
    : `${checkIn.field} ${checkIn.rule}`
}

const config = { schedule: { type: 'crontab', value: '0 * * * *' }, checkin_margin: 5 }

// biome-ignore format: the columns are the point
test.each([
  ['a status alone         ', { query: 'status=ok' },                                   { check_in_id: nil, monitor_slug: 'nightly', status: 'ok' }],
  ['everything in the query', { query: `status=error&check_in_id=${id}&environment=dev&duration=1.5&sentry_key=x` },
    { check_in_id: id, monitor_slug: 'nightly', status: 'error', environment: 'dev', duration: 1.5 }],
  ['a dashed id            ', { query: 'status=ok&check_in_id=5F0C1D2E-3A4B-4C5D-8E9F-001122334455' }, { check_in_id: id, monitor_slug: 'nightly', status: 'ok' }],
  ['the nil id             ', { query: `status=ok&check_in_id=${nil}` },                { check_in_id: nil, monitor_slug: 'nightly', status: 'ok' }],
  ['empty values           ', { query: 'status=ok&environment=&duration=' },            { check_in_id: nil, monitor_slug: 'nightly', status: 'ok' }],
  ['a body with a schedule ', { body: JSON.stringify({ status: 'in_progress', monitor_config: config }) },
    { check_in_id: nil, monitor_slug: 'nightly', status: 'in_progress', monitor_config: config }],
  ['a body over the query  ', { query: 'status=ok', body: '{"status":"error"}' },       { check_in_id: nil, monitor_slug: 'nightly', status: 'error' }],
  ['a form, as curl -d does', { body: 'status=ok&duration=3' },                         { check_in_id: nil, monitor_slug: 'nightly', status: 'ok', duration: 3 }],
  ['nulls                  ', { body: '{"status":"ok","duration":null,"environment":null,"check_in_id":null}' },
    { check_in_id: nil, monitor_slug: 'nightly', status: 'ok' }],
  ['the slug of the path   ', { slug: 'A b/c', body: '{"status":"ok","monitor_slug":"other"}' }, { check_in_id: nil, monitor_slug: 'A b/c', status: 'ok' }],
] as const)('a call becomes the check-in of an SDK: %s', (_name, call, want) => {
  expect(read(call)).toEqual(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['no status          ', {},                                       'status must be in_progress, ok or error'],
  ['an internal status ', { query: 'status=missed' },               'status must be in_progress, ok or error'],
  ['a status twice     ', { body: '{"status":["ok"]}' },            'status must be in_progress, ok or error'],
  ['an invalid id      ', { query: 'status=ok&check_in_id=17' },    'check_in_id must be a UUID'],
  ['an id of a number  ', { body: '{"status":"ok","check_in_id":1}' }, 'check_in_id must be a UUID'],
  ['a duration in words', { query: 'status=ok&duration=long' },     'duration must be a number of seconds, zero or more'],
  ['a duration below 0 ', { query: 'status=ok&duration=-1' },       'duration must be a number of seconds, zero or more'],
  ['infinite duration',   { query: 'status=ok&duration=Infinity' }, 'duration must be a number of seconds, zero or more'],
  ['a long environment ', { query: `status=ok&environment=${'e'.repeat(65)}` }, 'environment must be a text of at most 64 characters'],
  ['a slug of dashes   ', { slug: '--', query: 'status=ok' },       'monitor_slug must have a letter or a digit'], // cspell:ignore letter
  ['a body of a list   ', { query: 'status=ok', body: '[1]' },      'body must be a JSON object or a form'],
  ['a body of a string ', { query: 'status=ok', body: '"ok"' },     'body must be a JSON object or a form'],
  ['broken JSON        ', { query: 'status=ok', body: '{"status"' }, 'body must be a JSON object or a form'],
] as const)('an invalid call is refused with the name of the field: %s', (_name, call, want) => {
  expect(read(call)).toBe(want)
})

test('it never throws, and a payload contains the values of the request', () => {
  const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom('status=ok', '{"status":"ok"}'))
  fc.assert(
    fc.property(text, text, fc.string(), (query, body, slug) => {
      const checkIn = readCheckIn({ slug, query, body: Buffer.from(body) })
      if (checkIn.kind === 'invalid') return
      expect(JSON.parse(checkIn.payload)).toMatchObject({
        monitor_slug: slug,
        status: expect.stringMatching(/^(in_progress|ok|error)$/),
        check_in_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      })
    }),
    { seed: 20_261_121, numRuns: 2000 },
  )
})

describe('nesting', () => {
  test('that can be parsed but not serialised is refused', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(read({ body: `{"status":"ok","contexts":${deep}}` })).toMatch(/^body /)
  })
})
