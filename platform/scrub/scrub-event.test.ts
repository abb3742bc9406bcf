import { describe, expect, test } from 'vitest'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { scrubEvent } from './scrub-event.ts'
import { Scrubber } from './scrubber.ts'

type Settings = Partial<ProjectSettings['scrubbing']>

function scrub(event: object, settings: Settings = {}) {
  const copy = structuredClone(event) as Record<string, unknown>
  const notes = new Map<string, { readonly field: string; readonly rule: string }>()
  const collector = {
    add: (field: string, rule: string) => void notes.set(`${field} ${rule}`, { field, rule }),
  }
  const { scrubbing } = ProjectSettings.parse({ scrubbing: settings })
  scrubEvent(copy, new Scrubber(scrubbing), collector)
  return { event: copy, notes: [...notes.values()] }
}

const gone = '[Filtered]'

// biome-ignore format: the columns are the point
test.each([
  ['extra',                 { extra: { password: 'hunter2' } }, { extra: { password: gone } }],
  ['words in camel case',   { extra: { dbPassword: 'a', userAuthToken: 'b', clientSecret: 'c' } }, { extra: { dbPassword: gone, userAuthToken: gone, clientSecret: gone } }],
  ['everything below',      { contexts: { app: { credentials: { user: 'u', keys: ['k', 7] } } } }, { contexts: { app: { credentials: { user: gone, keys: [gone, gone] } } } }],
  ['a breadcrumb',          { breadcrumbs: { values: [{ message: 'GET /?token=abc', data: { api_key: 'x' } }] } }, { breadcrumbs: { values: [{ message: `GET /?token=${gone}`, data: { api_key: gone } }] } }],
  ['request headers',       { request: { headers: { Authorization: 'Bearer x', 'X-Api-Key': 'y', Host: 'h' } } }, { request: { headers: { Authorization: gone, 'X-Api-Key': gone, Host: 'h' } } }],
  ['headers as pairs',      { request: { headers: [['Cookie', 'a=b'], ['Accept', '*/*']] } }, { request: { headers: [['Cookie', gone], ['Accept', '*/*']] } }],
  ['cookies keep names',    { request: { cookies: 'sid=1; theme=dark' } }, { request: { cookies: `sid=${gone}; theme=${gone}` } }],
  ['cookies as pairs',      { request: { cookies: [['sid', '1']] } }, { request: { cookies: [['sid', gone]] } }],
  ['a query string',        { request: { query_string: 'q=shoes&access_token=abc' } }, { request: { query_string: `q=shoes&access_token=${gone}` } }],
  ['a query as pairs',      { request: { query_string: [['token', 'abc'], ['q', 'x']] } }, { request: { query_string: [['token', gone], ['q', 'x']] } }],
  ['a body of JSON text',   { request: { data: '{"user":"a","password":"x y"}' } }, { request: { data: `{"user":"a","password":"${gone}"}` } }],
  ['frame variables',       { exception: { values: [{ stacktrace: { frames: [{ function: 'f', vars: { secret: "'x'", n: '1' } }] } }] } }, { exception: { values: [{ stacktrace: { frames: [{ function: 'f', vars: { secret: gone, n: '1' } }] } }] } }],
  ['tags as a map',         { tags: { token: 'x', env: 'y' } }, { tags: { token: gone, env: 'y' } }],
  ['tags as pairs',         { tags: [['token', 'x'], ['env', 'y']] }, { tags: [['token', gone], ['env', 'y']] }],
  ['a message',             { message: 'card 4111 1111 1111 1111 was declined' }, { message: `card ${gone} was declined` }],
  ['a log entry',           { logentry: { message: 'x %s', params: ['postgres://u:pw@db/x'] } }, { logentry: { message: 'x %s', params: [`postgres://u:${gone}@db/x`] } }],
  ['an exception',          { exception: { values: [{ type: 'E', value: 'bad password=hunter2' }] } }, { exception: { values: [{ type: 'E', value: `bad password=${gone}` }] } }],
  ['headers in a flat list', { extra: { rawHeaders: ['Host', 'h', 'Authorization', 'x'] } }, { extra: { rawHeaders: ['Host', 'h', 'Authorization', gone] } }],
  ['headers by name and value', { extra: { h: [{ name: 'Cookie', value: 'a=b' }] } }, { extra: { h: [{ name: 'Cookie', value: gone }] } }],
  ['a card as a number',    { extra: { n: 4111111111111111 } }, { extra: { n: gone } }],
  ['legacy names',          { 'sentry.interfaces.Http': { cookies: 'a=b' } }, { 'sentry.interfaces.Http': { cookies: `a=${gone}` } }],
  ['a path with a query',   { stacktrace: { frames: [{ abs_path: 'https://x/a.js?token=abc' }] } }, { stacktrace: { frames: [{ abs_path: `https://x/a.js?token=${gone}` }] } }],
])('secrets are removed: %s', (_name, event, want) => {
  const { event: got, notes } = scrub(event)
  expect(got).toEqual(want)
  expect(notes.length).toBeGreaterThan(0)
})

// biome-ignore format: the columns are the point
test.each([
  ['names that only sound so', { extra: { author: 'a', secretary: 'b', tokenizer: 'c', passenger: 'd', compass: 'e' } }],
  ['words about secrets',   { extra: { token_type: 'Bearer', password_length: 8, auth_method: 'saml', total_tokens: 412, cookies_enabled: true } }],
  ['ids and times',         { event_id: '4111111111111111', contexts: { trace: { trace_id: '41111111111111114111111111111111' } }, extra: { at: 1763715600000 } }],
  ['sentences',             { message: 'Invalid token: expected a string', extra: { m: 'password: must be longer', n: "Unexpected token: punc (,)" } }],
  ['source code',           { stacktrace: { frames: [{ function: 'login(token: string)', filename: 'a/b.ts', context_line: '  const password = request.body.password', pre_context: ['token = next()'] }] } }],
  ['an address without the option', { user: { ip_address: '10.1.2.3' }, message: 'from 10.1.2.3' }],
  ['a URL without a password', { request: { url: 'https://user@host:8080/a?b=c' } }],
  ['comparisons',           { message: 'token == undefined, secret => 1' }],
])('other values are kept: %s', (_name, event) => {
  const { event: got, notes } = scrub(event)
  expect(got).toEqual(event)
  expect(notes).toEqual([])
})

test('a note names the field and the rule', () => {
  expect(scrub({ request: { headers: { Authorization: 'x' } } }).notes).toEqual([
    { field: 'request.headers.Authorization', rule: 'removed by scrubbing: name of its key' },
  ])
})

describe('settings', () => {
  test('addresses are removed when the project requires it', () => {
    const { event } = scrub(
      {
        user: { ip_address: '{{auto}}', id: '1' },
        request: { env: { REMOTE_ADDR: '10.1.2.3' }, headers: { 'X-Forwarded-For': '10.1.2.3' } },
        message: 'from 10.1.2.3 and 2001:db8::1, at 10:20:30 in std::vector of 1.2.3',
      },
      { ip_addresses: true },
    )
    expect(event).toEqual({
      user: { ip_address: null, id: '1' },
      request: { env: { REMOTE_ADDR: gone }, headers: { 'X-Forwarded-For': gone } },
      message: `from ${gone} and ${gone}, at 10:20:30 in std::vector of 1.2.3`,
    })
  })

  test("a project's own keys, safe keys and patterns apply", () => {
    const { event } = scrub(
      { extra: { national_id: 'x', token: 'kept', note: 'of EMP-123456 and emp-9' } },
      { sensitive_keys: ['*_id'], safe_keys: ['tok*'], patterns: ['EMP-\\d{6}'] },
    )
    expect(event).toEqual({
      extra: { national_id: gone, token: 'kept', note: `of ${gone} and emp-9` },
    })
  })

  test('no value changes when all rules are off', () => {
    const event = { extra: { password: 'x' }, message: 'password=x' }
    expect(scrub(event, { defaults: false }).event).toEqual(event)
  })
})

// Ten of the longest patterns, which match everywhere, on the largest event.
test('hostile patterns on a large event take a bounded time', () => {
  const patterns = Array.from({ length: 10 }, (_, index) => `[a-z ${index}]{1,128}`)
  const extra = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`k${index}`, 'a quick fox '.repeat(850)]),
  )
  const first = scrub({ extra }, { patterns })
  expect(JSON.stringify(first.event)).not.toContain('fox')
  expect(scrub({ extra }, { patterns })).toEqual(first)
})
