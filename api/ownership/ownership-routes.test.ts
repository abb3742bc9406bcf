// cspell:ignore enviroment grösse qeue
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin } = adminOf(api)
let tenant: Tenant
let ada: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Owned', accessScopes)
  ada = await api().login(tenant, 'member')
  await api().pool.query(
    `insert into teams (id, organization_id, slug, name) values ($1, $2, 'server', 'Back end')`,
    [randomUUID(), tenant.organizationId],
  )
})

const put = (body: unknown) => api().of(tenant, '/ownership', { method: 'PUT', body })
const match = (body: unknown) => api().of(tenant, '/ownership/match', { method: 'POST', body })

describe('ownership rules', () => {
  test('are stored as written, and shown parsed with warnings about unknown owners', async () => {
    const rules = `# shop\nsrc/** #server\ntags.component:web ${ada.email} #nobody\nurl:*/pay/* x@y.test\n`
    const stored = await put({ rules })
    expect(stored.status).toBe(200)
    expect(stored.body).toEqual({
      rules,
      parsed: [
        { line: 2, subject: 'path', pattern: 'src/**', owners: ['#server'] },
        { line: 3, subject: 'tags.component', pattern: 'web', owners: [ada.email, '#nobody'] },
        { line: 4, subject: 'url', pattern: '*/pay/*', owners: ['x@y.test'] },
      ],
      warnings: [
        { line: 3, message: 'the organization has no team "nobody"' },
        { line: 4, message: 'x@y.test is no member of the organization' },
      ],
    })
    expect((await api().of(tenant, '/ownership')).body).toEqual(stored.body)
    await put({ rules })
    const { rows } = await api().pool.query(
      `select details from audit_log where action = 'ownership.changed'`,
    )
    expect(rows).toEqual([{ details: { rules: 3, skipped_lines: 0 } }])
  })

  test('a tag that no event has is a warning with the closest names', async () => {
    const owned = await api().tenant('Tags of owners', accessScopes)
    await api().addEvents(owned, [{ id: 'a', hash: 'fa', tags: { queue: 'mail', größe: 'xl' } }])
    const keys = [
      ...['queue', 'größe', 'environment', 'logger', 'qeue', 'grösse', 'enviroment'],
      ...['__proto__', 'a\u2028b', `${'x'.repeat(199)}1`, 'constructor'],
    ]
    const rules = keys.map((key) => `tags.${key}:a* ${ada.email}`).join('\n')
    const put = await api().of(owned, '/ownership', { method: 'PUT', body: { rules } })
    expect(put.status).toBe(200)
    const none = (key: string, meant = '') => `no event of the project has the tag ${key}${meant}`
    const ofTags = put.body.warnings.filter(({ message }: { message: string }) =>
      message.startsWith('no event'),
    )
    expect(ofTags).toEqual([
      { line: 5, message: none('qeue', '; did you mean queue?') },
      { line: 6, message: none('grösse', '; did you mean größe?') },
      { line: 7, message: none('enviroment', '; did you mean environment?') },
      { line: 8, message: none('__proto__') },
      { line: 9, message: none('a\u2028b') },
      { line: 10, message: none(`${'x'.repeat(50)}…`) },
      { line: 11, message: none('constructor') },
    ])
    expect((await api().of(owned, '/ownership')).body).toEqual(put.body)
  })

  test('a thousand unknown tags fit into the queries, and those beyond are not looked for', async () => {
    const rules = Array.from(
      { length: 300 },
      (_, at) => `tags.${'ä'.repeat(100)}${at}:a* #server`,
    ).join('\n')
    const { status, body } = await put({ rules })
    expect([status, body.parsed.length]).toEqual([200, 300])
    expect(body.warnings.length).toBeGreaterThan(10)
    await put({ rules: '' })
  })

  test('a file with invalid lines is refused by line, or stored without them', async () => {
    const before = (await api().of(tenant, '/ownership')).body
    const rules = '*.css #server\n!*.js #server\n[Section]\n*.go @alice\n'
    const refused = await put({ rules })
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_failed'])
    expect(
      refused.body.details.map(({ field, rule }: Record<string, string>) => [field, rule]),
    ).toEqual([
      ['rules', expect.stringMatching(/^line 2: .*negated/)],
      ['rules', expect.stringMatching(/^line 3: .*sections/)],
      ['rules', expect.stringMatching(/^line 4: unknown owner "@alice"/)],
    ])
    expect((await api().of(tenant, '/ownership')).body).toEqual(before)
    const stored = await put({ rules, skip_invalid: true })
    expect(stored.body.parsed).toHaveLength(1)
    expect(stored.body.warnings.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4])
    expect((await put({ rules: '' })).body).toEqual({ rules: '', parsed: [], warnings: [] })
  })

  // biome-ignore format: the columns are the point
  test.each([
    [{ path: 'web/src/api/a.ts' },                    2, 'Back end'],
    [{ path: 'web/src/api/a.css' },                   3, null],
    [{ path: 'lib/a.ts' },                            1, 'member'],
    [{ module: 'com.shop.pay.Card' },                 4, 'Back end'],
    [{ module: 'com.other' },                         undefined, null],
    [{ url: 'https://shop.test/pay/1' },              5, null],
    [{ tags: { component: 'worker' } },               6, 'Back end'],
    [{ tags: { component: 'web' } },                  undefined, null],
    [{ path: 'src/a.ts', tags: { component: 'worker' } }, 6, 'Back end'],
  ] as const)('%j is decided by line %s: %s', async (subject, line, name) => {
    const rules = [
      `* ${ada.email}`,
      'src/** #server',
      '*.css',
      'module:com.shop.* #nobody #server',
      'url:*/pay/* #nobody',
      'tags.component:worker #server',
    ].join('\r\n')
    const answer = await match({ ...subject, rules })
    expect(answer.status).toBe(200)
    expect(answer.body.rule?.line).toBe(line)
    expect(answer.body.assignee?.name ?? null).toBe(name)
  })

  test('stored rules are tried when none are given', async () => {
    await put({ rules: '/src/ #server' })
    expect((await match({ path: 'src/a.ts' })).body.assignee.type).toBe('team')
    expect((await match({ path: 'lib/src/a.ts' })).body).toEqual({ rule: null, assignee: null })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no rules',             'PUT',  {},                                       'rules'],
    ['null',                 'PUT',  { rules: null },                          'rules'],
    ['a list',               'PUT',  { rules: ['* #a'] },                      'rules'],
    ['NUL',                  'PUT',  { rules: 'a\u0000b #server' },           'rules'],
    ['a lone surrogate',     'PUT',  { rules: 'a\ud800 #server' },            'rules'],
    ['too long',             'PUT',  { rules: 'x'.repeat(65_537) },            'rules'],
    ['too many rules',       'PUT',  { rules: '* #server\n'.repeat(1_001) },  'rules'],
    ['nothing to try',       'POST', {},                                       'path'],
    ['an empty path',        'POST', { path: '' },                             'path'],
    ['a number as tag',      'POST', { tags: { a: 1 } },                       'tags.a'],
  ] as const)('%s is refused and named', async (_name, method, body, field) => {
    const answer = method === 'PUT' ? await put(body) : await match(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(answer.body.details[0].field).toBe(field)
  })

  test('patterns made to be slow end in time', async () => {
    const rules = `${'*a'.repeat(140)} #server\n`.repeat(200)
    const path = `${'a'.repeat(199)}/`.repeat(10)
    expect((await match({ path, rules })).status).toBe(200)
  })

  test('need the scope for settings; other organizations see nothing', async () => {
    const reader = await api().tenant('Reader')
    const denied = await api().of(reader, '/ownership', { method: 'PUT', body: { rules: '' } })
    expect([denied.status, denied.body.code]).toEqual([403, 'missing_scope'])
    const path = `/api/v1/projects/${tenant.project.id}/ownership`
    expect((await api().call(path, { token: reader.token })).status).toBe(404)
  })

  test('the command line refuses a file that it cannot read', async () => {
    const set = await admin('ownership set --file no-such-file --organization Owned')
    expect(set).toMatchObject({ code: 1, stderr: 'no-such-file cannot be read.\n' })
  })
})
