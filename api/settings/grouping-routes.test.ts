// cspell:ignore tenent
import { beforeAll, describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { apiOfThisFile, at, type Call, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { hostileTexts } from '../../test/fixtures/hostile-texts.ts'

const api = apiOfThisFile()
let tenant: Tenant

const frames = [
  { module: 'shop.main', function: 'serve', in_app: true },
  { module: 'shop.stock', function: 'reserve', in_app: true },
]
const event = {
  platform: 'python',
  transaction: 'GET /cart',
  exception: { values: [{ type: 'TimeoutError', value: 'no answer', stacktrace: { frames } }] },
}

beforeAll(async () => {
  tenant = await api().tenant('Shop', accessScopes)
})

const attempt = (body: unknown, call: Partial<Call> = {}) =>
  api().of(tenant, '/grouping/try', { method: 'POST', body, ...call })
const put = (grouping: object) =>
  api().of(tenant, '/settings', { method: 'PUT', body: { grouping } })

describe('grouping rules', () => {
  test('are kept, each text for itself', async () => {
    await put({ fingerprint_rules: 'type:A -> a' })
    const { body } = await put({ stack_trace_rules: 'function:a -app' })
    expect(body.grouping).toEqual({
      fingerprint_rules: 'type:A -> a',
      stack_trace_rules: 'function:a -app',
    })
    await put({ fingerprint_rules: '', stack_trace_rules: '' })
  })

  test('that are tried show what they change, and are not saved', async () => {
    const before = (await api().of(tenant, '/settings')).body
    const { status, body } = await attempt({
      event,
      fingerprint_rules: 'type:Other -> a\ntype:Timeout* -> slow, {{ transaction }} title="Slow"',
      stack_trace_rules: 'module:shop.stock -group',
    })
    expect([status, body]).toMatchObject([
      200,
      {
        before: {
          hashes: [{ variant: 'app' }],
          title: 'TimeoutError: no answer',
          issue: null,
          explanation: { path: 'exception-stack' },
        },
        after: {
          hashes: [{ variant: 'fingerprint' }],
          title: 'Slow',
          explanation: { summary: expect.stringContaining('fingerprint rule in line 2') },
        },
        changes: ['issue', 'hashes', 'title'],
        rules: [
          { kind: 'stack_trace', line: 1, source: 'module:shop.stock -group' },
          { kind: 'fingerprint', line: 2 },
        ],
        is_complete: true,
        source: 'given',
      },
    ])
    expect((await api().of(tenant, '/settings')).body).toEqual(before)
  })

  test('a text that is left out is the stored one', async () => {
    await put({ fingerprint_rules: 'type:* -> stored' })
    const { body } = await attempt({ event, stack_trace_rules: '' })
    expect(body.changes).toEqual([])
    expect(body.rules).toMatchObject([{ source: 'type:* -> stored' }])
    const none = await attempt({ event, fingerprint_rules: '' })
    expect(none.body).toMatchObject({ changes: ['issue', 'hashes'], rules: [] })
    await put({ fingerprint_rules: '' })
  })

  test('a stored event is tried, and the issues of its hashes are found', async () => {
    await api().addEvents(tenant, [
      { id: 'tried', hash: 't', receivedAt: at(-5), payload: JSON.stringify(event) },
    ])
    const rules = 'type:TimeoutError -> slow'
    const first = await attempt({ event_id: hex('tried'), fingerprint_rules: rules })
    expect([first.status, first.body.source, first.body.after.issue]).toEqual([200, 'stored', null])
    const { hash } = first.body.after.hashes[0]
    const issueId = await api().addIssue(tenant, { hashes: ['slow'], title: 'Slow things' })
    await api().pool.query(
      "insert into issue_hashes (project_id, hash, issue_id, explanation) values ($1, $2, $3, '{}')",
      [tenant.project.dsnId, hash, issueId],
    )
    const { body } = await attempt({ event_id: hex('tried'), fingerprint_rules: rules })
    expect(body.after.issue).toMatchObject({ id: issueId, title: 'Slow things' })
    expect(body.before.issue).toBe(null)
  })

  test('an issue of another project with the same hash is not shown', async () => {
    const other = await api().tenant('Other', accessScopes)
    const body = { event, fingerprint_rules: 'type:TimeoutError -> slow' }
    const answer = await api().of(other, '/grouping/try', { method: 'POST', body })
    expect([answer.status, answer.body.after.issue]).toEqual([200, null])
    const foreign = { event_id: hex('tried') }
    const refused = await api().of(other, '/grouping/try', { method: 'POST', body: foreign })
    expect(refused.status).toBe(404)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an invalid rule',       { event: {}, fingerprint_rules: 'a\n\ntype:A ->' }, 'fingerprint_rules', /^line 1, character 2: a rule needs/],
    ['an invalid stack rule', { event: {}, stack_trace_rules: 'function:a' },     'stack_trace_rules', /^line 1, character 11/],
    ['no event',              {},                                                 'event',             /not both/],
    ['an event that is none', { event: '[1]' },                                   'event',             /./],
    ['an unknown field',      { event: {}, rules: '' },                           'rules',             /unknown field/],
  ] as const)('%s is refused and named', async (_name, body, field, rule) => {
    const answer = await attempt(body)
    expect([answer.status, answer.body.details?.[0].field]).toEqual([400, field])
    expect(answer.body.details[0].rule).toMatch(rule)
  })

  test.each(hostileTexts.map((text) => [text.slice(0, 40), text]))(
    'a hostile event with %s is answered',
    async (_name, text) => {
      const hostile = `{"message":${text},"tags":${text},"exception":${text},"transaction":${text}}`
      const fingerprint_rules = 'message:*a*b* !tags.a:* path:**/x/* -> {{ message }}, {{ tags.a }}'
      const answer = await attempt({ event: hostile, fingerprint_rules })
      expect([200, 400]).toContain(answer.status)
    },
  )

  test('a viewer may try, and may not save', async () => {
    const login = await api().login(tenant, 'viewer')
    const path = `/api/v1/projects/${tenant.project.id}`
    const body = { event, fingerprint_rules: 'type:* -> a' }
    const tried = await api().call(`${path}/grouping/try`, { method: 'POST', login, body })
    expect(tried.status).toBe(200)
    const saved = { grouping: { fingerprint_rules: '' } }
    const put = await api().call(`${path}/settings`, { method: 'PUT', login, body: saved })
    expect(put.status).toBe(403)
  })
})

describe('tags in fingerprint rules', () => {
  const rules = [
    'tags.tenent:acme -> {{ tags.tenant }}',
    'type:A -> {{ tags.cart }}, {{ tags.zzzzzz }} title="{{ tags.Tenant }}"',
    'tags.environment:dev tags.server_name:web-* -> dev, {{ tags.release }}',
    '# tags.comment:x -> y',
  ].join('\n')
  const warnings = [
    [1, 'no event of the project has the tag tenent; did you mean tenant?'],
    [2, 'no event of the project has the tag cart'],
    [2, 'no event of the project has the tag zzzzzz'],
    [2, 'no event of the project has the tag Tenant; did you mean tenant?'],
  ].map(([line, message]) => ({ field: 'grouping.fingerprint_rules', line, message }))

  beforeAll(async () => {
    await api().addEvents(tenant, [
      { id: 'tagged', hash: 'tagged', tags: { tenant: 'acme' }, receivedAt: at(-5) },
    ])
  })

  test('that no event has are saved, with a warning that names the closest tag', async () => {
    const { status, body } = await put({ fingerprint_rules: rules })
    expect([status, body.warnings]).toEqual([200, warnings])
    expect((await api().of(tenant, '/settings')).body.grouping.fingerprint_rules).toBe(rules)
    const other = await put({ stack_trace_rules: '' })
    expect(other.body.warnings).toEqual([])
  })

  test('that no event has are tried, with the same warning', async () => {
    const { status, body } = await attempt({ event, fingerprint_rules: rules })
    expect([status, body.warnings]).toEqual([200, warnings])
    const stored = await attempt({ event })
    expect(stored.body.warnings).toEqual([])
  })

  test('with any name: of other scripts, the longest one, hundreds', async () => {
    const names = ['日本', '%', "'", 'x'.repeat(200), '__proto__', 'constructor']
    const hostile = names.map((name) => `tags.${name}:x -> y`).join('\n')
    const { status, body } = await attempt({ event, fingerprint_rules: hostile })
    expect([status, body.warnings?.length]).toEqual([200, names.length])
    const many = Array.from({ length: 200 }, (_, at) => `tags.n${at}:x -> {{ tags.m${at} }}`)
    const tried = await attempt({ event, fingerprint_rules: many.join('\n') })
    expect([tried.status, tried.body.warnings.length]).toEqual([200, 200])
    await put({ fingerprint_rules: '' })
  })
})
