import { describe, expect, test } from 'vitest'
import type { WorkerTrialResult } from '#schemas/bus/worker-request.ts'
import { busMessageBytesMax, eventBytesMax, jsonDepthMax } from '#schemas/limits.ts'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { hostileTexts } from '../../test/fixtures/hostile-texts.ts'
import { trySettings } from './try-settings.ts'

interface Given {
  readonly scrubbing?: Partial<ProjectSettings['scrubbing']>
  readonly filters?: Partial<ProjectSettings['filters']>
}

function attempt(event: unknown, given: Given = {}): WorkerTrialResult {
  return trySettings({
    request: {
      task: 'try_settings',
      settings: ProjectSettings.parse(given),
      event_id: 'a'.repeat(32),
      received_at_ms: Date.parse('2026-11-21T01:02:03.456Z'),
    },
    payload: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
  })
}

describe('the verdict', () => {
  const visit = (agent: string) => ({ request: { headers: { 'User-Agent': agent } } })
  const thrownIn = (path: string) => ({
    platform: 'javascript',
    exception: { values: [{ type: 'Error', stacktrace: { frames: [{ abs_path: path }] } }] },
  })
  const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1)'
  const old = 'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)'

  // biome-ignore format: the columns are the point
  test.each([
    ['releases',           ['old@*'],   { release: 'old@1' },                { release: 'new@1' },                { rule: 'old@*', value: 'old@1' }],
    ['error_messages',     ['*loop*'],  { message: 'a loop' },               { message: 'a line' },               { rule: '*loop*', value: 'a loop' }],
    ['browser_extensions', true,        thrownIn('chrome-extension://a/b'),  thrownIn('https://shop.test/a.js'),  { rule: null, value: null }],
    ['localhost',          true,        { request: { url: 'http://localhost/' } }, { request: { url: 'https://a.test/' } }, { rule: null, value: null }],
    ['web_crawlers',       true,        visit(bot),                          visit('Mozilla/5.0'),                { rule: null, value: bot }],
    ['legacy_browsers',    true,        visit(old),                          visit('Mozilla/5.0'),                { rule: null, value: old }],
  ] as const)('%s drops what it matches, and nothing else', (name, setting, hit, miss, why) => {
    const filters = { [name]: setting }
    expect(attempt(hit, { filters })).toMatchObject({
      outcome: 'filtered',
      reason: `filtered:${name}`,
      filter: { name, ...why },
      stored: null,
    })
    const kept = { outcome: 'stored', reason: null, filter: null, stored: { level: 'error' } }
    expect(attempt(miss, { filters })).toMatchObject(kept)
    expect(attempt(hit)).toMatchObject(kept)
  })

  test('filters see the event after scrubbing, and so does the reply', () => {
    const given: Given = {
      scrubbing: { patterns: ['EMP-\\d{6}'] },
      filters: { error_messages: ['*EMP-*', '*[Filtered]*'] },
    }
    const { filter } = attempt({ message: 'Login of EMP-123456' }, given)
    expect(filter).toMatchObject({ rule: '*[Filtered]*', value: 'Login of [Filtered]' })
  })

  const deep = `${'{"a":'.repeat(jsonDepthMax + 1)}1${'}'.repeat(jsonDepthMax + 1)}`
  // biome-ignore format: the columns are the point
  test.each([
    ['no JSON',            '{',                                  'rejected',    'invalid_json'],
    ['no object',          '[1]',                                'rejected',    'invalid_event'],
    ['deep nesting',       deep,                                 'rejected',    'too_deep'],
    ['endless nesting',    '['.repeat(500_000),                  'rejected',    'too_deep'],
    ['too many bytes',     JSON.stringify('x'.repeat(eventBytesMax)), 'rejected', 'too_large'],
    ['a transaction',      { type: 'transaction' },              'unsupported', 'unsupported:transaction'],
  ] as const)('%s is not stored', (_name, event, outcome, reason) => {
    const result = attempt(event)
    expect(result).toMatchObject({ outcome, reason, stored: null, event: {} })
    expect(result.detail === null).toBe(outcome === 'unsupported')
  })
})

describe('what is removed', () => {
  test('is told by field and by value, with pointers into the event that is left', () => {
    const event = {
      message: 'Login of EMP-123456 failed',
      user: { ip_address: '192.0.2.7' },
      extra: { password: 'hunter2', 'a/b~c': { token: [1, 'x'] }, token_count: 3 },
      exception: { values: [{ value: 'fine' }, { value: 'from 192.0.2.8' }] },
      request: { headers: [['Cookie', 'sid=1']], cookies: 'a=1; b=2' },
    }
    const scrubbing = { patterns: ['x\\d', 'EMP-\\d{6}'], ip_addresses: true }
    const result = attempt(event, { scrubbing })
    expect(result.changes).toEqual([
      {
        path: '/message',
        before: '"Login of EMP-123456 failed"',
        after: '"Login of [Filtered] failed"',
        rules: ['pattern 2'],
      },
      { path: '/user/ip_address', before: '"192.0.2.7"', after: 'null', rules: ['IP address'] },
      ...['/extra/password', '/extra/a~1b~0c/token/0', '/extra/a~1b~0c/token/1'].map((path) =>
        expect.objectContaining({ path, after: '"[Filtered]"', rules: ['name of its key'] }),
      ),
      expect.objectContaining({ path: '/exception/values/1/value', rules: ['IP address'] }),
      expect.objectContaining({ path: '/request/headers/0/1', after: '"[Filtered]"' }),
      expect.objectContaining({ path: '/request/cookies', rules: ['cookies'] }),
    ])
    expect(result.removed).toContainEqual({ field: 'exception.values.value', rule: 'IP address' })
    expect(result.event).toMatchObject({ message: 'Login of [Filtered] failed' })
    expect(result.stored).toMatchObject({ logentry: { formatted: 'Login of [Filtered] failed' } })
    expect(result.is_complete).toBe(true)
    expect(JSON.stringify([result.event, result.stored])).not.toMatch(/hunter2|192\.0\.2|sid=1/)
  })

  test('a value that two rules change is one change', () => {
    const scrubbing = { patterns: ['EMP-\\d{6}'], ip_addresses: true }
    const { changes } = attempt({ message: 'EMP-123456 of 192.0.2.7' }, { scrubbing })
    expect(changes.map(({ rules }) => rules.toSorted())).toEqual([['IP address', 'pattern 1']])
  })

  test('values are cut without half characters', () => {
    const { changes } = attempt({ extra: { password: `${'x'.repeat(99)}\u{1f9e8}` } })
    expect(changes[0]?.before.isWellFormed()).toBe(true)
  })
})

describe('bounds', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`password_${index}`, 'x']))

  test('at most 500 removals and changes are listed', () => {
    const { removed, changes, is_complete: isComplete } = attempt({ extra: many(600) })
    expect([removed.length, changes.length, isComplete]).toEqual([500, 500, false])
    expect(attempt({ extra: many(500) }).is_complete).toBe(true)
  })

  test.each([
    ['many small values under a sensitive key', `{"password":[${'1,'.repeat(500_000)}1]}`],
    ['long texts', JSON.stringify({ message: '\u0001'.repeat(170_000), extra: { a: 'x' } })],
    ['long keys', JSON.stringify({ extra: { ['k'.repeat(900_000)]: { password: 'x' } } })],
  ])('%s fit into one message', (_name, text) => {
    const result = attempt(text)
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(busMessageBytesMax)
    expect(['stored', 'rejected']).toContain(result.outcome)
  })
})

const places = [
  (value: string) => value,
  (value: string) => `{"message":${value},"release":${value},"event_id":${value}}`,
  (value: string) => `{"exception":{"values":[{"type":${value},"value":${value}}]}}`,
  (value: string) => `{"user":${value},"tags":${value},"request":${value},"extra":${value}}`,
  (value: string) => `{"request":{"headers":${value},"cookies":${value},"url":${value}}}`,
]
test.each(hostileTexts.map((value) => [value.slice(0, 40), value]))(
  'a hostile event with %s gets a verdict, and stays out of the settings',
  (_name, value) => {
    const given: Given = {
      scrubbing: { ip_addresses: true, patterns: ['\\d+', '.{1,4}x'], sensitive_keys: ['*user*'] },
      filters: { releases: ['*_x'], error_messages: ['*nothing*'], localhost: true },
    }
    for (const place of places) {
      const { outcome, event } = attempt(place(value), given)
      expect(['stored', 'rejected']).toContain(outcome)
      expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
    }
    expect(({} as { values?: unknown }).values).toBeUndefined()
  },
)
