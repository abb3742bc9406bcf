import { describe, expect, test } from 'vitest'
import { jsonDepthMax } from '#schemas/limits.ts'
import { ProjectSettings } from '#schemas/project-settings.ts'
import { trySettings } from './try-settings.ts'

const stored = ProjectSettings.parse({ scrubbing: { sensitive_keys: ['national_id'] } })

function nested(levels: number): unknown {
  return levels === 0 ? 'x' : [nested(levels - 1)]
}

test('tells the path and the rule of each removal, and the event that is left', () => {
  const event = {
    message: 'Login of EMP-123456 failed',
    extra: { password: 'hunter2', nickname: 'ada', token_count: 3 },
    exception: { values: [{ value: 'from 192.0.2.7' }, { value: 'from 192.0.2.8' }] },
  }
  const scrubbing = {
    patterns: ['x\\d', 'EMP-\\d{6}'],
    ip_addresses: true,
    sensitive_keys: ['nick*'],
  }
  expect(trySettings(stored, { event, scrubbing })).toEqual({
    removed: [
      { field: 'message', rule: 'pattern 2' },
      { field: 'extra.password', rule: 'name of its key' },
      { field: 'extra.nickname', rule: 'name of its key' },
      { field: 'exception.values.value', rule: 'IP address' },
    ],
    is_complete: true,
    event: {
      message: 'Login of [Filtered] failed',
      extra: { password: '[Filtered]', nickname: '[Filtered]', token_count: 3 },
      exception: { values: [{ value: 'from [Filtered]' }, { value: 'from [Filtered]' }] },
    },
  })
})

test.each([
  [undefined, ['extra.national_id', 'extra.password']],
  [{ defaults: false }, ['extra.national_id']],
  [{ sensitive_keys: [] }, ['extra.password']],
  [{ defaults: false, sensitive_keys: [] }, []],
])('the stored settings with %j', (scrubbing, fields) => {
  const event = { extra: { national_id: 'x', password: 'y' } }
  const { removed } = trySettings(stored, { event, scrubbing: scrubbing as never })
  expect(removed.map(({ field }) => field)).toEqual(fields)
})

describe('bounds', () => {
  test('at most 500 removals are listed', () => {
    const extra = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`password_${index}`, 'x']),
    )
    const result = trySettings(stored, { event: { extra }, scrubbing: undefined })
    expect([result.removed.length, result.is_complete]).toEqual([500, false])
  })

  test('nesting as deep as in stored events is allowed, deeper is refused', () => {
    const attempt = (levels: number) =>
      trySettings(stored, { event: { extra: nested(levels) }, scrubbing: undefined })
    expect(attempt(jsonDepthMax - 1).removed).toEqual([])
    expect(() => attempt(jsonDepthMax)).toThrow(/levels of nesting/)
    expect(() => attempt(5_000)).toThrow(/levels of nesting/)
  })

  test('an invalid pattern is named', () => {
    const scrubbing = { patterns: ['a', 'a|b'] }
    expect(() => trySettings(stored, { event: {}, scrubbing: scrubbing as never })).toThrow(
      /scrubbing\.patterns\.1.*character 2/,
    )
  })

  test('texts that would take too long are removed as a whole', () => {
    const patterns = Array.from({ length: 10 }, (_, index) => `[a-z ${index}]{1,128}`)
    const event = { message: `${'a quick fox '.repeat(5_000)}!` }
    const result = trySettings(stored, { event, scrubbing: { patterns } as never })
    expect(result.event).toEqual({ message: '[Filtered]' })
  })
})
