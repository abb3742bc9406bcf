import { beforeAll, describe, expect, test } from 'vitest'
import { defaultProjectSettings } from '#schemas/project-settings.ts'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
})

const put = (body: unknown) => api().of(tenant, '/settings', { method: 'PUT', body })

describe('settings', () => {
  test('a new project removes secrets and accepts every event', async () => {
    const { status, body } = await api().of(await api().tenant('Fresh'), '/settings')
    expect([status, body]).toEqual([200, defaultProjectSettings])
  })

  test('omitted fields stay, also within nested objects', async () => {
    await put({ scrubbing: { ip_addresses: true, patterns: ['EMP-\\d{6}'] }, retention_days: 30 })
    const { body } = await put({
      scrubbing: { sensitive_keys: ['national_id'] },
      filters: { localhost: true },
      allowed_origins: ['https://*.Example.com'],
    })
    expect(body).toMatchObject({
      scrubbing: {
        defaults: true,
        ip_addresses: true,
        sensitive_keys: ['national_id'],
        patterns: ['EMP-\\d{6}'],
      },
      filters: { localhost: true, web_crawlers: false },
      retention_days: 30,
      allowed_origins: ['https://*.example.com'],
    })
    expect((await api().of(tenant, '/settings')).body).toEqual(body)
  })

  test('only settings that were given are stored', async () => {
    const other = await api().tenant('Sparse', accessScopes)
    await api().of(other, '/settings', { method: 'PUT', body: { retention_days: 7 } })
    const { rows } = await api().pool.query('select settings from projects where id = $1', [
      other.project.id,
    ])
    expect(rows).toEqual([{ settings: { retention_days: 7, scrubbing: {}, filters: {} } }])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a pattern with a choice',   { scrubbing: { patterns: ['a|b'] } },              'scrubbing.patterns.0',  /character 2: groups and choices/],
    ['too many patterns',         { scrubbing: { patterns: Array(11).fill('a') } },  'scrubbing.patterns',    /10/],
    ['a glob of stars',           { filters: { error_messages: ['**'] } },           'filters.error_messages.0', /more than stars/],
    ['a bare host',               { allowed_origins: ['example.com'] },              'allowed_origins.0',     /scheme and a host/],
    ['retention of no day',       { retention_days: 0 },                             'retention_days',        /1/],
    ['an unknown filter',         { filters: { bots: true } },                       'filters.bots',          /unknown field/],
    ['an unknown setting',        { scrub: {} },                                     'scrub',                 /unknown field/],
  ] as const)('%s is refused and named', async (_name, body, field, rule) => {
    const answer = await put(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(answer.body.details[0].field).toContain(field)
    expect(answer.body.details[0].rule).toMatch(rule)
  })

  test('a token that may only read cannot change them', async () => {
    const contact = await api().tenant('Reader')
    const answer = await api().of(contact, '/settings', { method: 'PUT', body: {} })
    expect([answer.status, answer.body.code]).toEqual([403, 'missing_scope'])
  })
})

test('a trial tells what the unsaved settings would remove, and stores nothing', async () => {
  await put({ scrubbing: { defaults: true, sensitive_keys: ['national_id'], patterns: [] } })
  const before = (await api().of(tenant, '/settings')).body
  const event = { message: 'EMP-123456', extra: { national_id: 'x', password: 'y' } }
  const body = { event, scrubbing: { patterns: ['EMP-\\d{6}'] } }
  const answer = await api().of(tenant, '/settings/try', { method: 'POST', body })
  expect([answer.status, answer.body.removed]).toEqual([
    200,
    [
      { field: 'message', rule: 'pattern 1' },
      { field: 'extra.national_id', rule: 'name of its key' },
      { field: 'extra.password', rule: 'name of its key' },
    ],
  ])
  expect((await api().of(tenant, '/settings')).body).toEqual(before)
})
