import { describe, expect, test } from 'vitest'
import {
  changedFields,
  changeOf,
  type Edits,
  type Field,
  flagFields,
  hasLineBreak,
  isPlaced,
  linesOf,
  listFields,
  numberFields,
  ruleOf,
  type Settings,
  textOf,
} from './settings-draft.ts'

const stored: Settings = {
  scrubbing: {
    defaults: true,
    ip_addresses: false,
    sensitive_keys: ['national_id', 'employee_*'],
    safe_keys: [],
    patterns: [],
  },
  filters: {
    browser_extensions: false,
    legacy_browsers: false,
    localhost: false,
    web_crawlers: true,
    releases: [],
    error_messages: [],
  },
  attachments: { keep: false, megabytes_per_day: 1024 },
  retention_days: null,
  allowed_origins: [],
}
const all: readonly Field[] = [...flagFields, ...listFields, ...numberFields]

describe('what is sent', () => {
  test.each<[string, Edits, object]>([
    ['nothing', {}, {}],
    ['a flag as it is stored', { 'scrubbing.defaults': true }, {}],
    ['a list as it is stored', { 'scrubbing.sensitive_keys': 'national_id\nemployee_*' }, {}],
    [
      'two fields of a group',
      { 'filters.localhost': true, 'filters.releases': 'a\n\n  \nb' },
      { filters: { localhost: true, releases: ['a', 'b'] } },
    ],
    [
      'an emptied list',
      { 'scrubbing.sensitive_keys': '\n' },
      { scrubbing: { sensitive_keys: [] } },
    ],
    ['blanks of a pattern', { 'scrubbing.patterns': ' a ' }, { scrubbing: { patterns: [' a '] } }],
    ['origins', { allowed_origins: 'https://a.test\r\n' }, { allowed_origins: ['https://a.test'] }],
    ['days', { retention_days: ' 30 ' }, { retention_days: 30 }],
    ['no days', { retention_days: '' }, {}],
    [
      'days that are no number, for the API to refuse',
      { retention_days: '1e9' },
      { retention_days: '1e9' },
    ],
  ])('%s', (_name, edits, change) => {
    expect(changeOf(stored, edits, all)).toEqual(change)
  })

  test('fields of another page are neither changed nor sent', () => {
    const edits: Edits = { 'filters.localhost': true, retention_days: '5' }
    expect(changedFields(stored, edits, ['retention_days'])).toEqual(['retention_days'])
    expect(changeOf(stored, edits, ['retention_days'])).toEqual({ retention_days: 5 })
  })

  test('an unchanged field follows the stored value', () => {
    const later = { ...stored, retention_days: 7 }
    expect(textOf(later, {}, 'retention_days')).toBe('7')
    expect(textOf(later, { retention_days: '8' }, 'retention_days')).toBe('8')
  })

  test('a list with a line break in an entry is recognised', () => {
    const filters = { ...stored.filters, error_messages: ['Error: a\nb'] }
    expect(hasLineBreak({ ...stored, filters }, 'filters.error_messages')).toBe(true)
    expect(hasLineBreak(stored, 'scrubbing.sensitive_keys')).toBe(false)
  })
})

describe('rules that a field breaks', () => {
  const details = [
    { field: 'scrubbing.patterns.1', rule: 'is bad' },
    { field: 'scrubbing.patterns', rule: 'has too many' },
    { field: 'scrubbing.patterns.9', rule: 'is gone' },
    { field: 'scrubbing.patterns_2', rule: 'is another field' },
  ]

  test('name the line of the text, empty lines counted', () => {
    expect(linesOf('a\n\nb')).toEqual([
      { entry: 'a', line: 1 },
      { entry: 'b', line: 3 },
    ])
    const rules = ruleOf(details, 'scrubbing.patterns', 'a\n\nb')
    expect(rules).toBe('Line 3: is bad\nhas too many\nis gone')
    expect(ruleOf(details, 'scrubbing.safe_keys', 'a')).toBeUndefined()
  })

  test('are placed at their field only', () => {
    expect(details.map((detail) => isPlaced(detail, ['scrubbing.patterns']))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })
})
