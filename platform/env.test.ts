import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readEnv, type VariableName, variableNames } from './env.ts'
import { projectRoot } from './project-root.ts'

describe('.env.example', () => {
  const lines = readFileSync(join(projectRoot, '.env.example'), 'utf8').split('\n')
  const listed = new Map<string, string>()
  for (const line of lines) {
    const match = /^#?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line)
    if (match?.[1] !== undefined) listed.set(match[1], match[2] ?? '')
  }

  test('lists every variable once and no other', () => {
    expect([...listed.keys()].sort()).toEqual([...variableNames].sort())
  })

  test.each(variableNames)('shows the default of %s', (name: VariableName) => {
    const shown = listed.get(name) ?? ''
    if (!hasDefault(name)) {
      expect(shown).toBe('')
      return
    }
    // Read like a given value, so that 10000 and 10_000 are equal.
    expect(readEnv([name], { [name]: shown })).toEqual(readEnv([name], {}))
    expect(shown === '').toBe([undefined, ''].includes(defaultText(name)))
  })
})

describe('readEnv', () => {
  test('one error reports all invalid variables by name', () => {
    const source = { INGEST_PORT: 'eighty', LOG_LEVEL: 'loud', POSTGRES_URL: 'mysql://host/db' }
    const read = () => readEnv(['INGEST_PORT', 'LOG_LEVEL', 'POSTGRES_URL'], source)
    expect(read).toThrow(/INGEST_PORT: .*\n.*LOG_LEVEL: .*\n.*POSTGRES_URL: /)
  })

  test('the error for a missing variable names it', () => {
    expect(() => readEnv(['NATS_URL'], {})).toThrow(/NATS_URL/)
  })

  test('an empty variable counts as unset', () => {
    expect(readEnv(['API_PORT'], { API_PORT: '' })).toEqual({ API_PORT: 8031 })
    expect(() => readEnv(['CLICKHOUSE_URL'], { CLICKHOUSE_URL: '' })).toThrow(/CLICKHOUSE_URL/)
  })

  test.each([
    ['INGEST_PORT', '-1'],
    ['INGEST_PORT', '65536'],
    ['INGEST_PORT', '80.5'],
    ['INGEST_PARTITIONS', '0'],
    ['INGEST_PARTITIONS', '65'],
    ['RETENTION_DAYS', '0'],
    ['RETENTION_ISSUE_DAYS', '29'],
    ['RETENTION_IGNORED_ISSUE_DAYS', '3651'],
    ['RETENTION_OUTCOMES_DAYS', '61'],
    ['RETENTION_AUDIT_DAYS', '-1'],
    ['RETENTION_EMAIL_EVENTS_DAYS', '89'],
    ['INGEST_ACK_TIMEOUT_MS', '0'],
    ['SMTP_URL', 'http://127.0.0.1'],
    ['SLUICE_METRICS_URLS', 'http://127.0.0.1:8036/metrics,/metrics'],
    ['SLUICE_METRICS_URLS', 'ftp://127.0.0.1/metrics'],
    ['SLUICE_METRICS_URLS', 'http://user:password@127.0.0.1:8036/metrics'],
  ] as const)('%s=%s is rejected', (name, value) => {
    expect(() => readEnv([name], { [name]: value })).toThrow(name)
  })

  test('only the named variables are read', () => {
    expect(readEnv(['API_PORT'], { API_PORT: '1', LOG_LEVEL: 'loud' })).toEqual({ API_PORT: 1 })
  })

  test('MAIL_FROM is parsed into a name and an address', () => {
    expect(readEnv(['MAIL_FROM'], {})).toEqual({
      MAIL_FROM: { name: 'Sluice', email: 'sluice@localhost' },
    })
    const source = { MAIL_FROM: '"Sluice, Inc." <mail@sluice.test>' }
    expect(readEnv(['MAIL_FROM'], source)).toEqual({
      MAIL_FROM: { name: 'Sluice, Inc.', email: 'mail@sluice.test' },
    })
  })

  test('an invalid MAIL_FROM is reported with its name and the rule that it broke', () => {
    const read = () => readEnv(['MAIL_FROM'], { MAIL_FROM: 'Sluice <mail@>' })
    expect(read).toThrow(
      /MAIL_FROM: must contain an email address \(its domain must not be empty\)/,
    )
  })

  test('a list of proxies may have blanks and empty entries', () => {
    const source = { INGEST_TRUSTED_PROXIES: ' 10.0.0.1, ,10.0.0.2 ' }
    expect(readEnv(['INGEST_TRUSTED_PROXIES'], source)).toEqual({
      INGEST_TRUSTED_PROXIES: ['10.0.0.1', '10.0.0.2'],
    })
  })
})

function hasDefault(name: VariableName): boolean {
  try {
    readEnv([name], {})
    return true
  } catch {
    return false
  }
}

function defaultText(name: VariableName): string | undefined {
  const value: unknown = readEnv([name], {})[name]
  return value === undefined ? undefined : String(value)
}
